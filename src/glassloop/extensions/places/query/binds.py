"""Parameters of SQL statements, collected while their text is put together: no value ever stands in the text."""

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\$(p\d+)\b")


class Binds:
    """`binds(value)` gives the placeholder to write. Parts that are bound once may stand in several statements."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def __call__(self, value: object) -> str:
        name = f"p{len(self.values) + 1}"
        self.values[name] = value
        return f"${name}"

    def used_by(self, sql: str) -> dict[str, object]:
        """The values that go with this statement."""
        return {name: self.values[name] for name in _PLACEHOLDER.findall(sql)}
