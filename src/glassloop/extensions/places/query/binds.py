"""Parameters of an SQL statement, collected while its text is put together: no value ever stands in the text."""


class Binds:
    """`binds(value)` gives the placeholder to write; `values` go with the statement."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def __call__(self, value: object) -> str:
        name = f"p{len(self.values) + 1}"
        self.values[name] = value
        return f"${name}"
