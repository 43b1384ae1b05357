"""Runners find out what is true: they launch a real vLLM on a GPU host, measure it and report."""
