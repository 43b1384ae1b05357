"""The child that draws: a bar as JSON on standard input, its PNG on standard output."""

import json
import sys
from typing import Any

COLOURS = {
    "weights": "#3b6fb6",
    "activation": "#a05fb5",
    "overheads": "#e0a030",
    "asked": "#2e8b57",
    "cache": "#a8dcb9",
    "short": "#c83c3c",
    "outside": "#d8d8d8",
}
CHINESE = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "PingFang SC",
    "Microsoft YaHei",
    "SimHei",
)
WIDE, HIGH, DOTS = 9.0, 2.6, 160  # inches and dots an inch: readable on a phone, under 100 kB


def draw(bar: dict[str, Any]) -> bytes:
    """The picture of a bar."""
    import io

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import font_manager, pyplot

    said = _readable(bar, {font.name for font in font_manager.fontManager.ttflist}, pyplot)
    figure, axes = pyplot.subplots(figsize=(WIDE, HIGH), dpi=DOTS, layout="constrained")
    left = 0.0
    for piece in bar["pieces"]:
        hatch = "//" if piece["use"] == "asked" else None
        axes.barh(0, piece["gib"], left=left, color=COLOURS[piece["use"]], edgecolor="white", hatch=hatch)
        left += piece["gib"]
    axes.axvline(bar["budget"], color="black", linestyle="--", linewidth=1)
    axes.axvline(bar["total"], color="black", linewidth=1)
    axes.set(yticks=[], xlim=(0, bar["length"] * 1.01), xlabel="GiB")
    axes.set_title(said["title"], loc="left", fontsize=10)
    names = [f"{said['labels'][piece['use']]} {piece['gib']:.2f} GiB" for piece in bar["pieces"]]
    axes.legend(
        axes.patches, names, loc="upper center", bbox_to_anchor=(0.5, -0.35), ncols=3, fontsize=8, frameon=False
    )
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight")
    return out.getvalue()


def _readable(bar: dict[str, Any], fonts: set[str], pyplot: Any) -> dict[str, Any]:
    """Title and labels in a language that a font can show: the reader's, else English."""
    place = 0
    if not bar["titles"][0].isascii():
        known = [name for name in CHINESE if name in fonts]
        if known:
            pyplot.rcParams["font.sans-serif"] = [*known, "DejaVu Sans"]
        else:
            place = 1
    return {"title": bar["titles"][place], "labels": bar["labels"][place]}


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(json.load(sys.stdin.buffer)))
