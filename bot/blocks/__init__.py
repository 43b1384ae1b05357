"""Slack's Block Kit: pure functions that return dicts within every limit of Slack's."""
