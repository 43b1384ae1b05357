"""Who runs an attempt: the protocol, and the queue that agents take from."""
