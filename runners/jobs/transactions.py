"""Writes that happen together, beside another process on the same file."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlite_utils import Database


@contextmanager
def together(db: Database) -> Iterator[None]:
    """A block whose writes all happen or none does. It takes the file's write lock first: what was read in it stays true."""
    if db.conn.in_transaction:
        with db.atomic():
            yield
        return
    db.conn.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.conn.rollback()
        raise
    db.conn.execute("COMMIT")
