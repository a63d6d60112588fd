"""Shared by all tests: Hypothesis runs at least 100 examples, without a deadline, the same ones each time.

`make test-all` looks further, at random examples (`--hypothesis-profile=far`). The files that take longest come first,
so that no core is left with one of them at the end.
"""

import functools
import gc
import ssl

from hypothesis import HealthCheck, settings

from hand_clock import clock  # noqa: F401
from made_store import made_database, put_store  # noqa: F401
from postgres_server import made_schema, own_postgres, postgres_schema, postgres_tables, postgres_url  # noqa: F401

# Reading the certificates of all authorities takes 50 ms of CPU for every client of every test, and changes nothing.
ssl.create_default_context = functools.cache(ssl.create_default_context)

# Collecting makes objects that all stay: looking for garbage among them took a sixth of its time.
gc.disable()

_calm = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("near", max_examples=100, deadline=None, derandomize=True, suppress_health_check=_calm)
settings.register_profile("far", max_examples=500, deadline=None, suppress_health_check=_calm)
settings.load_profile("near")

LONGEST = tuple(
    f"tests/{path}"
    for path in (
        "project/test_patterns.py",
        "project/test_extension.py",
        "server/test_schemathesis.py",
        "server/test_streams.py",
        "cli/",
        "chaos/",
        "browser/",
    )
)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish():
    """What was imported and collected stays to the end: no search for garbage need look through it again."""
    gc.enable()
    gc.collect()
    gc.freeze()
