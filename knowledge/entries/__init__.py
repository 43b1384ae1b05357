"""What is known about tuning vLLM: entries in two languages, each with the versions it holds for and where that is known from."""
