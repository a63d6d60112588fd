"""Counts of lines: each is taken, bad or outside fights, exactly one of them."""

from typing import Final, final

from glassloop.extensions.raids.records import BadLines

SHOWN: Final = 20
SHOWN_CHARS: Final = 300
MAX_REASONS: Final = 50
OTHER_REASONS: Final = "other reasons"


@final
class LineCounts:
    """`taken` and `outside` are counted by whoever reads; `number` is that of the block's first line."""

    def __init__(self) -> None:
        self.lines = 0
        self.taken = 0
        self.outside = 0
        self.bad = 0
        self._reasons: dict[str, tuple[list[tuple[int, str]], list[int]]] = {}

    def refuse(self, number: int, text: str, reason: str) -> None:
        if reason not in self._reasons and len(self._reasons) >= MAX_REASONS:
            reason = OTHER_REASONS
        first, count = self._reasons.setdefault(reason, ([], [0]))
        self.bad += 1
        count[0] += 1
        if len(first) < SHOWN:
            first.append((number, text[:SHOWN_CHARS]))

    def leave_out(self, lines: int) -> None:
        """Lines that were taken turn out to lie outside fights. Of a fight whose rows proved bad there may be none."""
        self.taken -= max(lines, 0)
        self.outside += max(lines, 0)

    def take_in(self, lines: int) -> None:
        """Lines outside turn out to belong to the fight that follows."""
        self.taken += lines
        self.outside -= lines

    def bad_lines(self) -> tuple[BadLines, ...]:
        """By reason, the most frequent first."""
        reasons = sorted(self._reasons.items(), key=lambda item: -item[1][1][0])
        return tuple(
            BadLines(reason=reason, count=count[0], first=tuple(sorted(first))) for reason, (first, count) in reasons
        )
