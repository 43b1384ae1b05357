"""What a model is made of, as far as memory is concerned, and how that is read from its config.json."""
