"""The rail: one segment a step, as long as it took, at least one cell."""

from hypothesis import given
from hypothesis import strategies as st

from glassloop.cli.look import Look
from glassloop.cli.rail import Segment, draw_rail

KINDS = st.sampled_from(["think", "act", "observe", "answer", "trouble", "wait"])
SEGMENTS = st.lists(st.builds(Segment, kind=KINDS, seconds=st.floats(0, 1e6)), min_size=1, max_size=90)


@given(SEGMENTS, st.integers(1, 80), st.booleans())
def test_the_rail_fits_and_every_step_has_a_cell_while_there_is_room(
    segments: list[Segment], width: int, ascii_only: bool
) -> None:
    rail = draw_rail(segments, width, Look(ascii=ascii_only))
    assert 1 <= len(rail.plain) <= width
    assert len(rail.spans) == min(len(segments), width)


def test_segments_are_as_long_as_they_took() -> None:
    segments = [
        Segment(kind="think", seconds=3.0),
        Segment(kind="act", seconds=0.001),
        Segment(kind="answer", seconds=6),
    ]
    rail = draw_rail(segments, 60, Look(ascii=True)).plain
    assert len(rail) == 60
    assert rail.count("#") == 1
    assert abs(rail.count("=") - 2 * rail.count(".")) <= 2


def test_a_wait_for_people_has_a_fixed_length() -> None:
    segments = [Segment(kind="think", seconds=1.0), Segment(kind="wait", seconds=86_400.0)]
    assert draw_rail(segments, 20, Look(ascii=True)).plain == "." * 18 + "--"
