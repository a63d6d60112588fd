"""Docstrings of the three common styles give the description and the parameters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.tools.schema import read_docstring

GOOGLE = """Find parts
    in stock.

    More about it.

    Args:
        sku (str, optional): The part: its number,
            as printed.
        limit (dict[str, tuple(int)]): How many.

        where: Which shelf.

    Returns:
        parts: The parts.
    """
NUMPY = """Find parts in stock.

    Parameters
    ----------
    sku : str
        The part: its number,
        as printed.
    limit, most : int, optional
        How many.
    where
        Which shelf.

    Returns
    -------
    parts : list
        The parts.
    """
REST = """Find parts in stock.

    :param sku: The part: its number,
        as printed.
    :param int limit: How many.
    :param where: Which shelf.
    :returns: The parts.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST])
def test_each_style_gives_the_same_description_and_parameters(text):
    description, parameters = read_docstring(text)
    assert description == "Find parts in stock."
    parameters.pop("most", None)
    assert parameters == {"sku": "The part: its number, as printed.", "limit": "How many.", "where": "Which shelf."}


def test_a_section_right_after_the_summary_is_not_part_of_it():
    assert read_docstring("Finds.\n    Args:\n        x: The x.\n    ") == ("Finds.", {"x": "The x."})
    assert read_docstring("Finds.\n    :param x: The x.\n    ") == ("Finds.", {"x": "The x."})


def test_no_docstring_gives_nothing():
    assert read_docstring(None) == ("", {})


@given(st.text(alphabet=":-()* \n\tArgsParametersx,", max_size=300))
def test_any_text_can_be_read(text):
    description, parameters = read_docstring(text)
    assert "\n" not in description
    assert all(parameters.values())
