"""The tools of this assistant: plain functions. Type hints and docstrings tell the model how to call them."""

from pathlib import Path

from glassloop import ToolError, tool

# Where the command was started. A server is started somewhere of its own: write the folder here then, such as
# Path("/srv/papers"), or Path(__file__).parent for the one this file is in.
FOLDER = Path.cwd()


@tool(effect="read", volatile=True)
def list_files(pattern: str = "*") -> list[dict[str, object]]:
    """Files in the working folder with their sizes, newest first.

    Args:
        pattern: Which files, such as *.md.
    """
    files = [path for path in FOLDER.glob(pattern) if path.is_file()][:200]
    files.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return [{"name": path.name, "bytes": path.stat().st_size} for path in files]


@tool(effect="read", volatile=True)
def count_words(name: str) -> dict[str, object]:
    """Words and lines of one text file in the working folder.

    Args:
        name: The file's name, as list_files gives it.
    """
    path = (FOLDER / name).resolve()
    if path.parent != FOLDER.resolve() or not path.is_file():
        raise ToolError(f"There is no file {name!r} here: list_files shows what there is.")
    text = path.read_text("utf-8", errors="replace")
    return {"name": name, "words": len(text.split()), "lines": len(text.splitlines())}
