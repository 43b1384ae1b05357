"""Figures for cards, drivers and builds: what a card needs, what a driver can run."""

import re
from collections.abc import Callable

from knowledge.logs.fixes.case import Case, Facts
from knowledge.versions import Version

# The CUDA release whose compilers first knew an architecture, the PyTorch release built with it, and the first vLLM on that
# PyTorch: NVIDIA's CUDA release notes, pytorch.org's builds, vLLM's requirements files (0.9.0: torch 2.7.0 with CUDA 12.8).
NEEDS: dict[str, tuple[str, str, str]] = {
    "sm_121": ("12.9", "2.8", "0.10"),
    "sm_120": ("12.8", "2.7", "0.9"),
    "sm_103": ("12.9", "2.8", "0.11"),
    "sm_100": ("12.8", "2.7", "0.9"),
    "sm_90": ("11.8", "2.0", "0.4"),
    "sm_89": ("11.8", "2.0", "0.4"),
}
# The oldest Linux driver for a CUDA release: table 3 of NVIDIA's CUDA toolkit release notes.
DRIVERS: dict[str, int] = {"13.0": 580, "12.9": 575, "12.8": 570, "12.6": 560, "12.4": 550, "12.1": 530, "11.8": 520}
# The CUDA release of the default wheels: vLLM's release notes and torch pins.
BUILT_WITH: tuple[tuple[Version, str], ...] = (
    (Version(0, 20), "13.0"),
    (Version(0, 11), "12.9"),
    (Version(0, 9), "12.8"),
    (Version(0, 5, 4), "12.4"),
    (Version(0, 4), "12.1"),
)


def arch(case: Case) -> Facts:
    """What the card's architecture needs, and what the installed PyTorch knows."""
    sm = str(case.facts.get("sm") or _sm(case) or "")
    found: Facts = {"sm": sm or None, "card": _clean(case.facts.get("card"))}
    if sm in NEEDS:
        cuda, torch, vllm = NEEDS[sm]
        found |= {"cuda": cuda, "torch": torch, "vllm": vllm, "driver": DRIVERS.get(cuda)}
    return found | {"old": bool(re.fullmatch(r"sm_[3-6]\d|sm_70", sm))}


def _sm(case: Case) -> str | None:
    gpu = case.gpu
    capability = gpu.compute_capability if gpu is not None else None
    return f"sm_{capability[0]}{capability[1]}" if capability else None


def _clean(card: object) -> str | None:
    return str(card).strip() if card else None


def ptx(case: Case) -> Facts:
    """The driver that is there and the one that the build needs."""
    smi = case.reading.smi
    built = built_with(case.settled)
    return {"has_driver": smi.driver, "has_cuda": smi.cuda, "cuda": built, "driver": DRIVERS[built]}


def driver_old(case: Case) -> Facts:
    """The same, with the CUDA version that torch or the container toolkit names."""
    found = ptx(case)
    told = case.facts.get("driver_cuda")
    if isinstance(told, int) and told >= 1000:
        found["has_cuda"] = found["has_cuda"] or f"{told // 1000}.{told % 1000 // 10}"
    wanted = str(case.facts.get("wants_cuda") or "")
    if wanted:
        found |= {"cuda": wanted, "driver": DRIVERS.get(wanted)}
    return found


def built_with(version: Version) -> str:
    """The CUDA release that the default wheels of a vLLM version were built with."""
    return next((cuda for since, cuda in BUILT_WITH if version >= since), "12.1")


def port(case: Case) -> Facts:
    """The port, and the next one."""
    said = re.search(r"--port[ =](\d{2,5})", f"{case.message} {' '.join(case.reading.commands)}")
    taken = case.facts.get("port") or case.start.port or (int(said[1]) if said else 8000)
    return {"port": taken, "port_to": int(taken) + 1}


FIXES: dict[str, Callable[[Case], Facts]] = {
    "arch": arch,
    "no_kernel_image": arch,
    "ptx": ptx,
    "driver_old": driver_old,
    "nvml": ptx,
    "port": port,
}
