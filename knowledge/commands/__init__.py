"""A pasted `vllm serve` command: read, never run, and checked against the version it is for."""
