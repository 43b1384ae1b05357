"""Bounds that both settings and specs keep to."""

MOST_GPU_MINUTES = 100_000.0  # ten weeks of one GPU: beyond it is a slip of the keyboard
