"""All 31 properties have a test that carries their number."""

import re
from pathlib import Path


def test_every_property_of_the_contract_is_tested():
    tests = Path(__file__).parent.parent
    tagged = {
        int(number)
        for path in tests.rglob("test_*.py")
        for number in re.findall(r"^@pytest\.mark\.property\((\d+)\)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert tagged == set(range(1, 32))
