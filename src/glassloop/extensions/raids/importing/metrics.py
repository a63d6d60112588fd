"""Imports of this process, for `/metrics`."""

from prometheus_client import Counter

IMPORTED = Counter("raids_imported_reports", "Combat logs that became a report.", registry=None)
LINES = Counter("raids_imported_lines", "Their lines, by what became of them.", ["became"], registry=None)
