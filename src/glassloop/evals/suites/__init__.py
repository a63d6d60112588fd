"""Suites that come with Glassloop. They are fixed: no question or expectation is ever changed to suit a model."""
