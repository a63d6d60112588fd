"""A process that looks for syntax errors: texts with their languages in as JSON, lines with errors out.

Apart from the server: a grammar can take for ever on a text made for that, lets nothing else run meanwhile, and may end
its process. Imports nothing of ours, so that it starts at once.
"""

import json
import sys
from typing import Any

MAX_ERRORS = 100
MAX_NODES = 200_000
CPU_S = 10


def main() -> None:
    limit_cpu()
    asked: list[tuple[str, str]] = json.load(sys.stdin)
    json.dump([errors_of(language, text) for language, text in asked], sys.stdout)


def limit_cpu() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    except (ImportError, ValueError, OSError):
        pass


def errors_of(language: str, text: str) -> list[tuple[int, str]] | None:
    """None where the language is not known."""
    if language == "json":
        return _json_errors(text)
    try:
        from tree_sitter_language_pack import get_parser

        parser: Any = get_parser(language)  # pyright: ignore[reportArgumentType]
    except (ImportError, LookupError):
        return None
    source = text.encode("utf-8", "replace")
    return _tree_errors(parser.parse(source).root_node, source)


def _json_errors(text: str) -> list[tuple[int, str]]:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return [(error.lineno, error.msg)]
    except (ValueError, RecursionError):
        return []
    return []


def _tree_errors(root: Any, source: bytes) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    left, seen = [root], 0
    while left and len(found) < MAX_ERRORS and seen < MAX_NODES:
        node = left.pop()
        seen += 1
        if node.is_missing:
            found.append((node.start_point[0] + 1, f"missing {node.type}"))
        elif node.type == "ERROR":
            near = source[node.start_byte : node.start_byte + 60].split(b"\n")[0].decode("utf-8", "replace").strip()
            found.append((node.start_point[0] + 1, f"syntax error at {near!r}"))
        elif node.has_error:
            left += reversed(node.children)
    return sorted(found)


if __name__ == "__main__":
    main()
