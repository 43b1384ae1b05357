"""Knowledge says what is known: models, GPUs, vLLM's memory arithmetic, and what holds for which version. Mostly pure."""
