"""Charts: what they show as values, drawn as text in a terminal or as PNG by a short-lived child process."""
