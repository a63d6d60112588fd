"""`/docs`: what the API takes and answers, as one plain page made from its OpenAPI document.

It needs nothing from anywhere else: no script, and a style sheet of our own.
"""

import json
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

Document = Mapping[str, Any]

STYLE = Path(__file__).with_suffix(".css").read_bytes()


def page(document: Document) -> str:
    """The document as HTML; everything in it is text."""
    info = document["info"]
    title = f"{info['title']} {info['version']}"
    groups: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            shown = "".join(_operation(path, method, operation))
            groups.setdefault((operation.get("tags") or ["other"])[0], []).append(shown)
    body = "".join(f"<h2>{escape(name)}</h2>{''.join(parts)}" for name, parts in groups.items())
    schemas = document.get("components", {}).get("schemas", {})
    shapes = "".join(_schema(name, schema) for name, schema in sorted(schemas.items()))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="docs/style.css"></head>'
        f"<body><h1>{escape(title)}</h1><p>{escape(info.get('description', ''))}</p>"
        '<p class="soft">For programs: <a href="openapi.json">openapi.json</a></p>'
        f"{body}<h2>schemas</h2>{shapes}</body></html>"
    )


def _operation(path: str, method: str, operation: Document) -> Iterator[str]:
    said = operation.get("description") or operation.get("summary", "")
    yield f'<details><summary><b class="method">{escape(method.upper())}</b><code>{escape(path)}</code> '
    yield f"<span>{escape(said.partition(chr(10))[0])}</span></summary><p>{escape(said)}</p>"
    rows = [_parameter(parameter) for parameter in operation.get("parameters", ())]
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        rows.append(_row("body", media, _kind(content.get("schema", {}))))
    if rows:
        yield f"<table>{''.join(rows)}</table>"
    answers: list[str] = []
    for status, response in operation.get("responses", {}).items():
        kinds = [_kind(content.get("schema", {})) for content in response.get("content", {}).values()]
        answers.append(_row(status, response.get("description", ""), " or ".join(filter(None, kinds))))
    yield f"<table>{''.join(answers)}</table></details>"


def _parameter(parameter: Document) -> str:
    needed = "needed" if parameter.get("required") else ""
    where = f"{parameter['in']} {needed} {parameter.get('description', '')}"
    return _row(parameter["name"], where, _kind(parameter.get("schema", {})))


def _row(name: str, text: str, kind: str) -> str:
    return f"<tr><td><code>{escape(name)}</code></td><td>{escape(text)}</td><td>{kind}</td></tr>"


def _kind(schema: Document) -> str:
    """What a value is, in a word; a schema of ours as a link to it."""
    if name := str(schema.get("$ref", "")).rpartition("/")[2]:
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {})) or 'anything'}"
    if several := schema.get("anyOf"):
        return " or ".join(_kind(one) for one in several)
    return escape(str(schema.get("type", "")))


def _schema(name: str, schema: Document) -> str:
    text = json.dumps(schema, indent=2, ensure_ascii=False)
    said = escape(str(schema.get("description", "")).partition("\n")[0])
    return (
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code> <span>{said}</span></summary>'
        f"<pre>{escape(text)}</pre></details>"
    )
