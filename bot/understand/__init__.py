"""From a message to what it asks: deterministic, English and Chinese, pure."""
