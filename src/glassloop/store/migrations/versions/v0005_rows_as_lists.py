"""Rows of the log are JSON lists from here on. The tables stay as they are, and so do the rows there are; but what was
written before this version cannot read the new ones."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """The number of the version is all that changes."""
