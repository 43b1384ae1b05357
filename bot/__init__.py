"""The bot tells people: it understands a message, has knowledge answer it, and renders the answer for Slack or a terminal."""
