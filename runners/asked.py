"""From what somebody asks to a spec: a new benchmark of a host, or an earlier one with something changed."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, Version, nearest, parse
from runners.jobs.gpu_sets import first_gpus
from runners.jobs.serve_flags import typed
from runners.jobs.spec import BenchSpec, Limits
from runners.jobs.workload import Workload
from runners.machines.host import Host

LOADS = frozenset(Workload.model_fields)
EXCLUDES = {"num_prompts": "duration_s", "duration_s": "num_prompts"}  # one said anew takes the other's place


def spec_of(asked: Mapping[str, Any], host: Host) -> BenchSpec:
    """A benchmark on `host`. `asked` has `model`, `serve` (options by name), and any field of Workload, Limits or BenchSpec.

    None means not said. The host's first GPUs are taken, as many as the options need, unless `gpus` names them; without
    `limits` it may take the host's own share, an hour at most. Raises Refusal for whatever cannot be.
    """
    said = {name: value for name, value in asked.items() if value is not None}
    load = {name: said.pop(name) for name in list(said) if name in LOADS}
    serve = typed(said.pop("serve", {}), version_of(host))
    if said.get("url") is None and "gpus" not in said:
        said["gpus"] = first_gpus(serve, host.gpus, host.name)
    limits = {"gpu_minutes": min(Limits().gpu_minutes, host.gpu_minutes)} | said.pop("limits", {})
    values = said | {"host": host.name, "serve": serve, "workload": load, "limits": limits}
    return _checked(values)


def changed(spec: BenchSpec, changes: Mapping[str, Any], host: Host) -> BenchSpec:
    """`spec` with fields of its load (`request_rate`), options of the server (`max-num-seqs`; None takes one away) or its model changed.

    A host of another name takes the benchmark over there. Raises Refusal for whatever cannot be.
    """
    values = spec.model_dump()
    load, serve = dict(values["workload"]), dict(values["serve"])
    for name, value in changes.items():
        field = name.lstrip("-").replace("-", "_")
        if field in LOADS:
            load |= {field: value} | ({EXCLUDES[field]: None} if field in EXCLUDES else {})
        elif field in {"model", "revision"}:
            values[field] = value
        else:
            serve = _with_option(serve, name, value, version_of(host))
    values |= {"workload": load, "serve": serve, "host": host.name}
    if spec.url is None:
        values["gpus"] = first_gpus(serve, host.gpus, host.name)
    return _checked(values)


def version_of(host: Host) -> Version:
    """The release that a host's options are checked against: its own where it states one."""
    return nearest(parse(host.vllm_version))[0] if host.vllm_version else DEFAULT


def _with_option(serve: dict[str, Any], name: str, value: object, version: Version) -> dict[str, Any]:
    if value is None:
        gone = next(iter(typed({name: _any_value(name, serve)}, version)))
        return {option: each for option, each in serve.items() if option != gone}
    return typed(serve | {next(iter(typed({name: value}, version))): value}, version)


def _any_value(name: str, serve: Mapping[str, Any]) -> object:
    """The value that the option has, however it is spelt here: only its full name is wanted."""
    bare = name.lstrip("-").replace("_", "-")
    return serve.get(f"--{bare}", True)


def _checked(values: Mapping[str, Any]) -> BenchSpec:
    try:
        return BenchSpec.model_validate(dict(values))
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the benchmark"
        says = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
        given = "".join(letter if letter.isprintable() else " " for letter in str(first["input"])[:60])
        shown = "" if isinstance(first["input"], dict) else f", not `{given}`"
        error = f"`{field}` {says}{shown}."
        raise Refusal(
            "bad-value", error, "Give another value, or leave it out.", key=field, value=given, says=says
        ) from None
