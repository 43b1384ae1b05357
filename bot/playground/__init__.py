"""A local workspace with the real bot connected to it: no Slack account, no tokens."""
