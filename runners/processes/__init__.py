"""Processes that leave nothing behind."""
