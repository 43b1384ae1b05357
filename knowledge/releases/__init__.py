"""What each release of vLLM has: its options, variables and metrics, 0.4 to 0.33."""
