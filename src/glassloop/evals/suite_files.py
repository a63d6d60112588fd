"""Suites as files: found by name or path, read with a bound, and refused in one sentence with the place; and values as
TOML text, since Python reads TOML and does not write it."""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.evals.suite import Suite
from glassloop.evals.workspace_copy import workspace_files
from glassloop.runtime.assistants.assistant_files import FILE
from glassloop.runtime.settings import Settings

BUNDLED = Path(__file__).parent / "suites"
MAX_BYTES = 1_000_000
MAX_FILES = 50
_PLACE = re.compile(r" - at `\$(?:\.(?P<key>\w++))?(?:\[(?P<number>\d++|\.\.\.)\])?(?P<rest>[^`]*+)`$")
_HEADING = re.compile(r"^[ \t]*\[\[[ \t]*cases[ \t]*\]\]", re.MULTILINE)


def find_suite(name_or_path: str, settings: Settings) -> Suite:
    """By path where it is written as one (`./NAME.toml`), else by name: yours in the home folder, then installed."""
    if "/" in name_or_path or "\\" in name_or_path or name_or_path.endswith(".toml"):
        return read_suite(Path(name_or_path).expanduser())
    every = {path.stem: path for path in _files(settings)}
    if name_or_path in every:
        return read_suite(every[name_or_path])
    near = get_close_matches(name_or_path, every, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(every))}; a file is given by path."
    raise UnknownName(f"There is no suite {name_or_path!r}: {hint}")


def list_suites(settings: Settings) -> Sequence[Suite | UsageError]:
    """Every suite that has a name; one that cannot be read as what is wrong with it."""
    found: dict[str, Suite | UsageError] = {}
    for path in _files(settings):
        try:
            found[path.stem] = read_suite(path)
        except UsageError as error:
            found[path.stem] = error
    return [found[name] for name in sorted(found)]


def is_installed(suite: Suite, settings: Settings) -> bool:
    """Whether it came with Glassloop or an extension, and so is fixed."""
    return Path(suite.file).parent in _installed_folders(settings)


def read_suite(path: Path) -> Suite:
    """The suite in a file."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"The suite {str(path)!r} is larger than {MAX_BYTES:,} bytes: split it.")
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"The suite {str(path)!r} cannot be read ({why}): give the path of one.") from None
    return parse_suite(text, path.resolve())


def parse_suite(text: str, path: Path) -> Suite:
    """The suite that this text is, as if it stood in that file."""
    raw: Any = None
    try:
        raw = tomllib.loads(text)
        suite = msgspec.convert(raw, Suite)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"The suite {str(path)!r} cannot be used: {_placed(str(error), raw, text)}. docs/evals.md shows one."
        ) from None
    except ValueError as error:
        raise UsageError(f"The suite {str(path)!r} is not TOML: {error}. docs/evals.md shows one.") from None
    except RecursionError:
        raise UsageError(f"The suite {str(path)!r} is nested too deeply: docs/evals.md shows one.") from None
    return msgspec.structs.replace(suite, file=str(path), digest=_digest(text, suite, path))


def _files(settings: Settings) -> Iterator[Path]:
    """Installed ones first, so that the user's own wins the name where names are keys."""
    for folder in (*_installed_folders(settings), settings.home_path / "evals"):
        yield from sorted(folder.glob("*.toml"))


def _installed_folders(settings: Settings) -> list[Path]:
    brought = (extension.suites() for extension in settings.extensions)
    return [BUNDLED, *(folder for folder in brought if folder is not None)]


def _placed(message: str, raw: Any, text: str) -> str:
    """The message with the case it is about, by number, id and line."""
    found = _PLACE.search(message)
    if found is None:
        return message
    what, key, number = message[: found.start()], found["key"], found["number"]
    if key != "cases" or not number or not number.isdigit():
        return f"{what} (at `{key or 'the top'}`)"
    case: Any = cast("list[Any]", raw["cases"])[int(number)]
    ident = str(cast("dict[str, Any]", case).get("id", "")) if isinstance(case, dict) else ""
    at = _line_of(int(number), len(cast("list[Any]", raw["cases"])), ident, text)
    place = f"case {int(number) + 1}" + (f", {ident[:60]!r}" if ident else "") + (f", line {at}" if at else "")
    rest = found["rest"].strip(".")
    return f"{what} ({place}{f', at `{rest}`' if rest else ''})"


def _line_of(number: int, cases: int, ident: str, text: str) -> int | None:
    """Where the case begins; None where that cannot be told."""
    starts = [match.start() for match in _HEADING.finditer(text)]
    if len(starts) == cases:
        return text.count("\n", 0, starts[number]) + 1
    place = text.find(f'"{ident}"') if ident else -1
    return text.count("\n", 0, place) + 1 if place >= 0 else None


def _digest(text: str, suite: Suite, path: Path) -> str:
    """Of everything beside the suite that decides what is asked: itself, its assistant, its tools and their data, its
    workspace."""
    digest = hashlib.sha256(text.encode())
    folder = path.parent / suite.assistant
    paths = [path.parent / name for name in suite.tools if name.endswith(".py")]
    if suite.assistant and (folder / FILE).is_file():
        paths += [folder / FILE, *sorted(folder.glob("*.py")), *sorted(folder.glob("*.json"))]
    workspace = workspace_files(path.parent / suite.workspace) if suite.workspace else []
    for each in [*paths[:MAX_FILES], *workspace]:
        try:
            if each.stat().st_size <= MAX_BYTES:
                digest.update(b"\0" + each.name.encode() + b"\0" + each.read_bytes())
        except OSError:
            # Who asks with it is told what is wrong; the digest only tells two runs apart.
            continue
    return digest.hexdigest()[:16]


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml(value: object) -> str:
    """A value as it stands behind an equals sign. None has no form: leave it out."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        inside = ", ".join(f"{toml_key(key)} = {toml(part)}" for key, part in table.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(toml(part) for part in cast('Sequence[object]', value))}]"
    raise TypeError(f"{type(value).__name__} has no form in TOML")


def toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but for the one control character that JSON lets stand.
    whole = text.encode("utf-8", "replace").decode()
    return msgspec.json.encode(whole).decode().replace("\x7f", "\\u007f")
