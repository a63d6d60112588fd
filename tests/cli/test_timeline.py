"""The timeline of a turn: one segment a step, as long as it took, at least one cell."""

from hypothesis import given
from hypothesis import strategies as st

from glassloop.cli.ui.output import TerminalStyle
from glassloop.cli.ui.trace_rows import TimelineSegment, draw_timeline

KINDS = st.sampled_from(["think", "act", "observe", "answer", "trouble", "wait"])
SEGMENTS = st.lists(st.builds(TimelineSegment, kind=KINDS, seconds=st.floats(0, 1e6)), min_size=1, max_size=90)


@given(SEGMENTS, st.integers(1, 80), st.booleans())
def test_the_timeline_fits_and_every_step_has_a_cell_while_there_is_room(
    segments: list[TimelineSegment], width: int, ascii_only: bool
) -> None:
    timeline = draw_timeline(segments, width, TerminalStyle(ascii=ascii_only))
    assert 1 <= len(timeline.plain) <= width
    assert len(timeline.spans) == min(len(segments), width)


def test_segments_are_as_long_as_they_took() -> None:
    segments = [
        TimelineSegment(kind="think", seconds=3.0),
        TimelineSegment(kind="act", seconds=0.001),
        TimelineSegment(kind="answer", seconds=6),
    ]
    timeline = draw_timeline(segments, 60, TerminalStyle(ascii=True)).plain
    assert len(timeline) == 60
    assert timeline.count("#") == 1
    assert abs(timeline.count("=") - 2 * timeline.count(".")) <= 2


def test_a_wait_for_people_has_a_fixed_length() -> None:
    segments = [TimelineSegment(kind="think", seconds=1.0), TimelineSegment(kind="wait", seconds=86_400.0)]
    assert draw_timeline(segments, 20, TerminalStyle(ascii=True)).plain == "." * 18 + "--"
