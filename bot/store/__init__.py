"""What the bot remembers: one SQLite file, whose rows are the truth that everything in memory is rebuilt from."""
