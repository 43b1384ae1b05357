"""vLLM's memory arithmetic: where every byte of a GPU goes, and how many tokens the rest holds."""
