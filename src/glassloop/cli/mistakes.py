"""What the command-line library says of a mistake, in the words of everything else here."""

import re
from collections.abc import Sequence

_SAID: Sequence[tuple[str, str]] = (
    (r"Invalid value for '(.+?)': Input should be greater than or equal to (\S+)", r"\1 must be at least \2"),
    (r"Invalid value for '(.+?)': Input should be less than or equal to (\S+)", r"\1 must be at most \2"),
    (r"Invalid value for '(.+?)': Input should be a valid integer.*", r"\1 must be a whole number"),
    (r"Invalid value for '(.+?)': Input should be a valid number.*", r"\1 must be a number"),
    (r"No such command '(?>(.*?)'\. Did you mean )(.+?)\?", r"There is no command '\1': did you mean \2?"),
    (r"No such command '(.*?)'", r"There is no command '\1'"),
    (r"No such option: (\S+) \(Possible options: (.+)\)", r"There is no option \1: did you mean \2?"),
    (r"No such option: (\S+) Did you mean (.+?)\?", r"There is no option \1: did you mean \2?"),
    (r"No such option: (\S+)", r"There is no option \1"),
    (r"Missing (?:argument|option|parameter) '(.+?)'", r"\1 is missing"),
    (r"Got unexpected extra argument\(s\) \((.*)\)", r"This is more than the command takes: \1"),
)
_WORDS = [(re.compile(rf"\A(?:{said})\Z", re.DOTALL), words) for said, words in _SAID]


def retold(message: str, command: str) -> str:
    """One sentence, and where to read more."""
    message = message.strip().rstrip(".")
    for pattern, words in _WORDS:
        if found := pattern.match(message):
            message = found.expand(words)
            break
    return f"{message}{'' if message.endswith('?') else '.'} See `{command} --help`."
