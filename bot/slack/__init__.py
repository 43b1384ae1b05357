"""The Slack front: what people write becomes a question, its answer a message. Nothing is decided here."""
