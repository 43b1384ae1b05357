"""What the bot says, in English and Chinese."""
