"""Phrases kept compiled between runs: compiling them takes longer than answering does."""

from base64 import b64decode, b64encode
from binascii import Error

from jinja2.bccache import Bucket, BytecodeCache

from knowledge import shelf


class Compiled(BytecodeCache):
    """Keeps the compiled templates on the shelf; Jinja itself checks that they belong to the source and to this Python."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fills the bucket with what was kept, if anything was."""
        kept = shelf.taken(_name(bucket))
        if kept is not None:
            try:
                bucket.bytecode_from_string(b64decode(kept, validate=True))
            except (Error, ValueError, EOFError, TypeError):
                bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps what the bucket holds."""
        name = _name(bucket)
        shelf.put(name, b64encode(bucket.bytecode_to_string()).decode(), name)


def _name(bucket: Bucket) -> str:
    return f"phrases-{bucket.key}"
