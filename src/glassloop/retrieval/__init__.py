"""Retrieval: documents to passages, found by their words and by their meaning."""

from glassloop.retrieval.index.library import Library
from glassloop.retrieval.index.sources import DocumentSource, IndexReport, SourceProblem

__all__ = ["Library", "SourceProblem", "IndexReport", "DocumentSource"]
