"""Finds the entry behind a messy question in English, Chinese or both, or none."""

from knowledge.search.ranking import Hit, nearest, search

__all__ = ["Hit", "nearest", "search"]
