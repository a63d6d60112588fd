"""Writes the web page's types from the API's document and the events' schema: `python scripts/make_types.py`.

With `--check` it writes nothing and fails when a file is not what it would write. What we send has every field, so a
field with a default is only optional in what is sent to us.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "web" / "src" / "api"
HEAD = "// Written by scripts/make_types.py: change the server, then run that.\n\n"
Schema = Mapping[str, Any]


def written(schema: Schema, *, sent: bool = False) -> str:
    """A schema as a TypeScript type; `sent`: by the page to the server."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    for name in ("anyOf", "oneOf"):
        if name in schema:
            return " | ".join(dict.fromkeys(written(one, sent=sent) for one in schema[name]))
    match schema.get("type"):
        case "string":
            return "string"
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case "array" if "prefixItems" in schema:
            return f"readonly [{', '.join(written(one, sent=sent) for one in schema['prefixItems'])}]"
        case "array":
            item = written(schema.get("items") or {}, sent=sent)
            return f"readonly ({item})[]" if "|" in item or item.startswith("readonly ") else f"readonly {item}[]"
        case "object":
            return _object(schema, sent=sent)
        case _:
            return "unknown"


def _object(schema: Schema, *, sent: bool) -> str:
    if "properties" not in schema:
        values = schema.get("additionalProperties")
        inner = written(values, sent=sent) if isinstance(values, dict) else "unknown"
        return f"Readonly<Record<string, {inner}>>"
    return "{ " + " ".join(_fields(schema, sent=sent)) + " }"


def _fields(schema: Schema, *, sent: bool) -> Iterator[str]:
    for name, value in schema["properties"].items():
        optional = sent and name not in schema.get("required", ())
        yield f"readonly {name}{'?' if optional else ''}: {written(value, sent=sent)};"


def declared(name: str, schema: Schema, *, sent: bool = False) -> str:
    if "properties" in schema:
        return "\n".join([f"export interface {name} {{", *(f"  {one}" for one in _fields(schema, sent=sent)), "}\n"])
    return f"export type {name} = {written(schema, sent=sent)};\n"


def api_types(document: Schema) -> str:
    """Every record of the API's document."""
    sent = set(_sent(document))
    schemas = document["components"]["schemas"]
    return HEAD + "\n".join(declared(name, schemas[name], sent=name in sent) for name in sorted(schemas))


def _sent(document: Schema) -> Iterator[str]:
    schemas = document["components"]["schemas"]
    waiting = [
        content["schema"]
        for operations in document["paths"].values()
        for operation in operations.values()
        for content in operation.get("requestBody", {}).get("content", {}).values()
        if "schema" in content
    ]
    seen: set[str] = set()
    while waiting:
        for name in _named(waiting.pop()):
            if name not in seen:
                seen.add(name)
                waiting.append(schemas[name])
                yield name


def _named(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        found = cast("dict[str, object]", schema)
        if isinstance(found.get("$ref"), str):
            yield str(found["$ref"]).rpartition("/")[2]
        for value in found.values():
            yield from _named(value)
    elif isinstance(schema, list):
        for value in cast("list[object]", schema):
            yield from _named(value)


def event_types(schema: Schema) -> str:
    """Every event, their union, and which of them are never stored."""
    from glassloop.core.events import TRANSIENT, AnyEvent

    parts = [declared(name, one) for name, one in sorted(schema["$defs"].items())]
    parts.append(f"export type AnyEvent = {' | '.join(one['$ref'].rpartition('/')[2] for one in schema['anyOf'])};\n")
    kinds = [str(kind.__struct_config__.tag) for kind in AnyEvent.__args__]
    passing = sorted(str(kind.__struct_config__.tag) for kind in TRANSIENT)
    parts.append(f"export const KINDS = {json.dumps(kinds)} as const;\n")
    parts.append(f"export const TRANSIENT: ReadonlySet<string> = new Set({json.dumps(passing)});\n")
    return HEAD + "\n".join(parts)


def document() -> Schema:
    """The API's document; making it needs no runtime."""
    from glassloop.runtime.settings import Settings
    from glassloop.server.app import create_app
    from glassloop.server.auth.authentication import Authenticator

    settings = Settings()
    nothing: Any = SimpleNamespace(store=None, agents=None)
    return create_app(nothing, settings, Authenticator(settings, nothing.store)).openapi()


def main() -> int:
    schema = json.loads((ROOT / "docs" / "events.schema.json").read_text("utf-8"))
    wanted = {"types.ts": api_types(document()), "events.ts": event_types(schema)}
    stale = [name for name, text in wanted.items() if _text(FOLDER / name) != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"web/src/api/{name} is not what the server says: run `python scripts/make_types.py`.")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(wanted[name], "utf-8")
        print(f"wrote web/src/api/{name}")
    return 0


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main())
