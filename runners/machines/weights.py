"""Which weights a name stood for on this machine, so that two runs of one name are known to be of one model."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

_TELLS = ("*.safetensors", "*.bin", "*.gguf", "config.json", "tokenizer.json", "*.index.json")


def revision(model: str, asked: str | None, environment: Mapping[str, str]) -> str | None:
    """The commit of a Hugging Face model as the local cache has it after a start; None for a folder, or when it is not there."""
    folder = _cache(environment) / f"models--{model.replace('/', '--')}" / "refs" / (asked or "main")
    try:
        return folder.read_text(encoding="utf-8").strip() or asked
    except OSError:
        return asked


def digest(model: str) -> str | None:
    """A digest of a folder: its configuration, and the names and sizes of its weights; None for what is no folder here."""
    folder = Path(model)
    if not folder.is_dir():
        return None
    hashed = hashlib.sha256()
    for file in sorted({file for pattern in _TELLS for file in folder.glob(pattern)}):
        content = file.read_bytes() if file.suffix == ".json" else str(file.stat().st_size).encode()
        hashed.update(file.name.encode() + b"\0" + content)
    return hashed.hexdigest()[:16]


def file_digest(file: Path | None) -> str | None:
    """A digest of a data set's file; None without one."""
    if file is None or not file.is_file():
        return None
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()[:16]


def _cache(environment: Mapping[str, str]) -> Path:
    if named := environment.get("HF_HUB_CACHE"):
        return Path(named)
    home = environment.get("HF_HOME") or str(
        Path(environment.get("XDG_CACHE_HOME") or f"{environment.get('HOME', '')}/.cache") / "huggingface"
    )
    return Path(home) / "hub"
