"""Finds the entry behind a messy question in English, Chinese or both, or none."""

from knowledge.search.evidence import evidence
from knowledge.search.ranking import Hit, nearest, search

__all__ = ["Hit", "evidence", "nearest", "search"]
