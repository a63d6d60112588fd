"""Questions of the assistant's: the card that shows one, and who answers it in a terminal."""

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from glassloop.cli.ui.prompt import AskLine
from glassloop.cli.ui.safe_text import exact
from glassloop.core.events import QuestionAsked
from glassloop.core.loop.user_question import MAX_ANSWER_CHARS
from glassloop.runtime.assistants.result import Answer

_PROMPT = "Your answer: "
_PROMPT_OPTIONS = "Your answer, or the number of one of these: "


class QuestionPrompt:
    """Answers questions by asking for a line each."""

    def __init__(self, console: Console, ask: AskLine, *, user: str) -> None:
        self._console = console
        self._ask = ask
        self._user = user

    def answer(self, asked: QuestionAsked) -> Answer | None:
        """What the person says; None where nobody does."""
        self._console.print(question_card(asked))
        while True:
            try:
                said = chosen(asked, self._ask(_PROMPT_OPTIONS if asked.options else _PROMPT, ""))
            except EOFError:
                return None
            if not said:
                self._console.print(Text("Type an answer, or press Ctrl-C to cancel the turn.", "trouble"))
            elif len(said) > MAX_ANSWER_CHARS:
                self._console.print(Text(f"The answer can have at most {MAX_ANSWER_CHARS:,} characters.", "trouble"))
            else:
                return Answer(asked.call_id, said, self._user)


def chosen(asked: QuestionAsked, said: str) -> str:
    """What was said, or the option that it is the number of."""
    said = said.strip()
    if said.isascii() and said.isdecimal() and said not in asked.options and 0 < int(said[:4]) <= len(asked.options):
        return asked.options[int(said[:4]) - 1]
    return said


def question_card(asked: QuestionAsked) -> RenderableType:
    """The question with its options, numbered."""
    parts: list[RenderableType] = [Text(exact(asked.question), overflow="fold")]
    if asked.options:
        parts.append(Text())
    for number, option in enumerate(asked.options, 1):
        parts.append(Text.assemble((f"  {number}  ", "act"), exact(option), overflow="fold"))
    return Panel(
        Group(*parts), title=Text("The assistant has a question", "think"), title_align="left", border_style="think"
    )
