"""The small data set, made once, and its tools; imports of files."""

from datetime import date
from pathlib import Path

import pytest

from extensions.places.import_files import Imports
from extensions.places.made_places import make_data_set
from glassloop.extensions.places.data_set.open_databases import OpenDatabases
from glassloop.extensions.places.sample import write_sample
from glassloop.extensions.places.tools import tools_over
from glassloop.extensions.places.tools.reader import PlacesReader

SAMPLE_DAY = date(2026, 11, 16)
NO_LIMIT_S = 600.0


@pytest.fixture(scope="session")
def made_home(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("places")
    make_data_set(home)
    return home


@pytest.fixture(scope="session")
def whole_sample(tmp_path_factory) -> Path:
    """The sample as everybody gets it, in a folder of its own."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, today=SAMPLE_DAY)
    return folder


def calls_of(home: Path, **settings: int):
    """Calls a tool by name with arguments as a model writes them. However busy the machine is, no query is ended."""
    databases = OpenDatabases(home, query_s=NO_LIMIT_S, **settings)
    tools = {each.name: each for each in tools_over(PlacesReader(databases))}

    async def calling(name, **arguments):
        return await tools[name].execute(arguments)

    calling.tools = tools
    return calling


@pytest.fixture(scope="session")
def call(made_home):
    """Tools on the small data set, made once, as making them takes longer than most calls."""
    return calls_of(made_home)


@pytest.fixture
def imports(tmp_path):
    return Imports(tmp_path)
