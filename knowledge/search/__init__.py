"""Finds the entry behind a messy question in English, Chinese or both, or none."""

from knowledge.search.evidence import faint, plain, says_more
from knowledge.search.ranking import Hit, nearest, search

__all__ = ["Hit", "faint", "nearest", "plain", "says_more", "search"]
