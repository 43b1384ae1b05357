"""From what was understood to the answer object: figures from knowledge, prose from templates, blocks for Slack."""
