"""What pasted text says: logs of any vLLM release, tracebacks, /metrics pages, benchmark output, nvidia-smi."""
