"""Keeping the catalogue: `python -m knowledge.catalogue add FOLDER --id ID`, `… like ID LISTED --quantization awq`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from knowledge.catalogue.add import add as write
from knowledge.catalogue.add import sibling
from knowledge.errors import Refusal
from knowledge.shapes.folder import read_folder
from knowledge.shapes.model import ModelShape

app = typer.Typer(add_completion=False, help="Keep the catalogue of models (knowledge/data/models.jsonl).")

Bytes = Annotated[int | None, typer.Option("--bytes", help="Real size of the weights that vLLM loads, in bytes.")]
Context = Annotated[
    int | None, typer.Option("--max-context", help="The model's own limit in tokens, where the file is wrong.")
]


@app.command()
def add(
    folder: Annotated[Path, typer.Argument(help="A folder with config.json.")],
    model_id: Annotated[str, typer.Option("--id", help="Its Hugging Face id.")],
    checkpoint_bytes: Bytes = None,
    max_context: Context = None,
) -> None:
    """Add the model in FOLDER, or put it in place of the one that is listed under the same id."""
    _write(replace(read_folder(folder), model_id=model_id), checkpoint_bytes, max_context)


@app.command()
def like(
    model_id: Annotated[str, typer.Argument(help="The new Hugging Face id.")],
    listed: Annotated[str, typer.Argument(help="A listed model with the same dimensions.")],
    quantization: Annotated[str | None, typer.Option(help="How the new one is quantised.")] = None,
    checkpoint_bytes: Bytes = None,
    max_context: Context = None,
) -> None:
    """Add a model that has the dimensions of a listed one."""
    _write(sibling(model_id, listed, quantization), checkpoint_bytes, max_context)


def _write(model: ModelShape, checkpoint_bytes: int | None, max_context: int | None) -> None:
    if checkpoint_bytes is not None:
        model = replace(model, checkpoint_bytes=checkpoint_bytes)
    if max_context is not None:
        model = replace(model, max_context=max_context, default_context=None)
    write(model)
    typer.echo(f"{model.model_id}: {model.parameters():,} parameters, {model.max_context:,} tokens")


def main() -> None:
    """Run a command; a refusal is one sentence on stderr and exit code 2."""
    try:
        app(standalone_mode=False)
    except Refusal as refusal:
        typer.echo(f"{refusal.error} {refusal.hint}", err=True)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
