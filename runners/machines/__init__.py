"""The hosts: their GPUs, their vLLM, what is predicted to fit on them."""
