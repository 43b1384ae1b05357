"""What runs on a GPU host."""
