"""Retrieval: documents to passages, found by their words and by their meaning."""

from glassloop.retrieval.library import Library
from glassloop.retrieval.sources import Problem, Report, Source

__all__ = ["Library", "Problem", "Report", "Source"]
