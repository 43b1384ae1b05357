"""Block Kit's rules as tables: one module a kind of thing, one entry a type."""
