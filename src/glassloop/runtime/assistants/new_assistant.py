"""New assistants: a folder that is ready to be asked, for its owner to change."""

from pathlib import Path

from glassloop.core.errors import UsageError
from glassloop.runtime.assistants.assistant_files import FILE

_STARTER = Path(__file__).parent / "starter"


def make_assistant(name: str, folder: Path) -> Path:
    """A new assistant of the user's own, ready to be asked."""
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise UsageError(f"{name!r} cannot be an assistant's name: use letters, digits, - and _.")
    target = folder / name
    if target.exists():
        raise UsageError(f"{target} already exists: choose another name, or remove it first.")
    target.mkdir(parents=True)
    for source in (_STARTER / FILE, _STARTER / "tools.py"):
        text = source.read_text("utf-8").replace("starter", name).replace("Starter", _titled(name))
        (target / source.name).write_text(text, "utf-8")
    return target


def _titled(name: str) -> str:
    """The name as people read it: `order-clerk` is "Order clerk"."""
    words = name.replace("-", " ").replace("_", " ").split()
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])
