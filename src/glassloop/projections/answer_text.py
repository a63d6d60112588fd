"""The answer as text that is never taken back, for clients that know no drafts. A fold of the stream.

Text that may still turn out to be a thought is held until the answer is given; what is certain goes out as it comes.
"""

from glassloop.core import events as e


class AnswerText:
    """Feed it events in order; each gives the text that can be sent now."""

    def __init__(self) -> None:
        self._sent = ""

    def piece(self, event: e.Event) -> str:
        if isinstance(event, e.TextDelta) and not event.draft:
            if event.offset != len(self._sent):
                # Another attempt at the same reply: what is new of it comes when it is whole.
                return ""
            self._sent += event.text
            return event.text
        if isinstance(event, e.AnswerGiven):
            sent, self._sent = self._sent, event.text
            if event.text.startswith(sent):
                return event.text[len(sent) :]
            return f"\n\n{event.text}"
        return ""
