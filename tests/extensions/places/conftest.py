import pytest

from extensions.places.import_files import Imports


@pytest.fixture
def imports(tmp_path):
    return Imports(tmp_path)
