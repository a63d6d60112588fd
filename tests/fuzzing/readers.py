"""Every reader of bytes from outside, with samples of what it reads: a new one is added here.

`modules` are the files of the source whose parsing it exercises; `test_readers` finds those that no reader names.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from pydantic import TypeAdapter, ValidationError

from extensions.places.import_files import PLACES, VISITS
from foreign_chats import as_json, as_zip, chatgpt_chat, open_webui_chat
from fuzzing.code_readers import editor_reader, found_pages_reader, manifests_reader
from fuzzing.samples import (
    CALL,
    CODE,
    CONFIG,
    DOCUMENTS,
    DOCX,
    EVENTS,
    EXPORT,
    GEOJSON,
    MESSAGES,
    REPORT,
    SUITE,
    TOOLS,
    packed,
    raid,
)
from fuzzing.workspace import Workspace
from glassloop.core.errors import GlassloopError
from glassloop.core.evidence import find_evidence
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.messages import AssistantMessage, Reply, ToolMessage, ToolSpec
from glassloop.core.planning.decision_review import review
from glassloop.core.planning.planner import read_plan
from glassloop.core.planning.reflection import read_opinion
from glassloop.core.protocols import get_protocol
from glassloop.core.protocols.result_pages import rows_as_table, shown_page
from glassloop.core.records import Decision
from glassloop.evals.run_file import read_run
from glassloop.evals.suite_files import parse_suite
from glassloop.extensions.business.database.csv_folder import check_folder
from glassloop.extensions.code.files.patches import parse_patch
from glassloop.extensions.dialects.client_messages import LooseMessage, split
from glassloop.extensions.general.conversion import convert
from glassloop.extensions.general.expression import evaluate
from glassloop.extensions.mcp.client.config import describe_file
from glassloop.extensions.mcp.client.definition import ListingReader
from glassloop.extensions.mcp.client.transport.stdio import _Lines
from glassloop.extensions.openai.context_length import context_of, ollama_context
from glassloop.extensions.places.importing.importer import FileToImport, import_file
from glassloop.extensions.places.query.geo_filter import read_geo_filter
from glassloop.extensions.places.query.regions import read_ring
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.models.provider_kit.call_arguments import read_arguments
from glassloop.retrieval.documents.files import read_source
from glassloop.retrieval.index.sources import DocumentSource
from glassloop.retrieval.query.query_parser import Synonyms, parse_query
from glassloop.runtime.assistants.assistant_files import read_assistant
from glassloop.runtime.attachments.parts import File, Image, data_of
from glassloop.runtime.bus.notify_payloads import read_payload
from glassloop.runtime.chat_imports.conversation_importer import to_session_file
from glassloop.runtime.chat_imports.export_files import read_export
from glassloop.runtime.schedules.recurrence import Recurrence
from glassloop.runtime.settings import trusted_folders
from glassloop.runtime.settings.folder import parse_dotenv, parse_toml
from glassloop.server.auth.limits import why_unfit
from glassloop.server.auth.request_info import read_address
from glassloop.server.http.sse import read_last_id
from glassloop.store.log.redaction import Redactor
from glassloop.tools.result import to_result
from models.conftest import AnthropicVoice, GoogleVoice, OpenAIVoice, ResponsesVoice
from pictures import png

SPEC = ToolSpec(
    name="look_up",
    description="Looks up.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


class ByteReader(NamedTuple):
    """`read` raises nothing but errors of ours, which say what to do."""

    seeds: Sequence[bytes]
    read: Callable[[bytes, Workspace], object]
    modules: tuple[str, ...] = ()


def each_of(*ways: Callable[[bytes, Workspace], object]) -> Callable[[bytes, Workspace], object]:
    """Reads the same bytes in several ways."""

    def read(data: bytes, space: Workspace) -> None:
        refused: list[GlassloopError] = []
        for way in ways:
            try:
                way(data, space)
            except GlassloopError as error:
                refused.append(error)
        if len(refused) == len(ways):
            raise refused[0]

    return read


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def parsed(data: bytes) -> Any:
    """As JSON comes to those who are given values; None for what is none."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _document(suffixes: str) -> Callable[[bytes, Workspace], object]:
    def read(data: bytes, space: Workspace) -> None:
        for suffix in suffixes.split():
            read_source(DocumentSource(name=f"a{suffix}", path=space.file(f"a{suffix}", data)))

    return read


def _code(suffixes: str) -> Callable[[bytes, Workspace], object]:
    """In processes of their own, as grammars of others take for ever on some texts, however short they are."""

    def read(data: bytes, space: Workspace) -> None:
        asked = [DocumentSource(name=name, path=space.file(name, data)) for name in map("a{}".format, suffixes.split())]
        for source, content in space.readers.read((source, b"") for source in asked):
            assert not content.stopped, (source.name, content.problem)

    return read


def _protocol(name: str) -> Callable[[bytes, Workspace], object]:
    def read(data: bytes, _space: Workspace) -> None:
        reader, text = get_protocol(name).reader({SPEC.name: SPEC}), text_of(data)
        for piece in (text[: len(text) // 3], text[len(text) // 3 :]):
            reader.feed(piece)
        reader.finish(Reply(message=AssistantMessage(text=text)))

    return read


def _provider(voice: Any) -> ByteReader:
    seeds = [b"".join(voice.text("Hello ", "there.")), b"".join(voice.call('{"query": "x"}')), voice.error()]
    whole = json.dumps({"error": {"message": "no", "type": "t", "code": 400}, "id": "x", "choices": []}).encode()

    def read(data: bytes, space: Workspace) -> None:
        space.stream(voice, data, 400 if len(data) % 7 == 0 else 200)

    modules = ("models/provider_kit/http_client.py", "extensions/google/model.py")
    return ByteReader([*seeds, whole], read, modules)


def _log(data: bytes, space: Workspace) -> None:
    read_log(space.file("log.txt", data), found=lambda _: None, year=2026)


def _places(name: str) -> Callable[[bytes, Workspace], object]:
    def read(data: bytes, space: Workspace) -> object:
        staged = space.folder / "staged"
        staged.mkdir(exist_ok=True)
        wanted = FileToImport(
            path=str(space.file(name, data)), cpu_s=60.0, name=name, user="ada", staged=str(staged), base=""
        )
        return import_file(wanted, lambda _message, _fraction: None)

    return read


def _business(data: bytes, space: Workspace) -> None:
    folder = space.folder / "business"
    folder.mkdir(exist_ok=True)
    (folder / "suppliers.csv").write_bytes(data)
    check_folder(folder)


def _mapping(data: bytes, space: Workspace) -> None:
    folder = space.folder / "mapped"
    folder.mkdir(exist_ok=True)
    (folder / "suppliers.csv").write_bytes(b"supplier_id,name\n1,a\n")
    check_folder(folder, mapping=space.file("mapping.toml", data))


def _listing(data: bytes, _space: Workspace) -> None:
    listing = ListingReader()
    listing.take(parsed(data))
    listing.done()


def _mcp(data: bytes, _space: Workspace) -> None:
    lines = _Lines(8_000)
    for piece in (data[:100], data[100:], b"\n"):
        list(lines.cut(piece))


def _client(data: bytes, _space: Workspace) -> None:
    try:
        said = TypeAdapter(list[LooseMessage]).validate_json(data)
    except ValidationError:
        return
    split(said)


def _observation(data: bytes, _space: Workspace) -> None:
    text = text_of(data)
    find_evidence(f"It is 12.5 and {text[:200]}", [SourceText(source="1", origin="call", text=text)])
    shown_page(rows_as_table(text), 500, "r", find="a")
    told = [ToolMessage(call_id="1", tool="t", content=text)]
    review(Decision(answer=f"It is 12.5 and {text[:200]}"), "q", told, {})
    to_result(parsed(data))
    Redactor().text(text)


def _plan(data: bytes, _space: Workspace) -> None:
    read_plan("q", parsed(data), {"look_up"})
    read_opinion(text_of(data))


def _profile(data: bytes, space: Workspace) -> None:
    folder = space.folder / "profiled"
    folder.mkdir(exist_ok=True)
    (folder / "assistant.toml").write_bytes(data)
    trusted_folders(space.folder / "home").look(folder)
    read_assistant(folder)


def _export(data: bytes, space: Workspace) -> None:
    """A session that is there already is not imported again, so each has an id of its own."""
    space.count += 1
    space.run(space.store.exports.load(data.replace(b"session-1", b"s%d" % space.count).split(b"\n")))


def _shape(data: bytes, _space: Workspace) -> None:
    """Validators of arguments: what is wrong is a `ValueError`, which becomes a sentence for the model."""
    for way in (read_ring, read_geo_filter):
        for value in (text_of(data), parsed(data)):
            with suppress(GlassloopError, ValueError):
                way(value)


def _words(data: bytes, _space: Workspace) -> None:
    text = text_of(data)
    parse_query(text, Synonyms())
    read_address(text)
    read_payload(text, "me")
    with suppress(GlassloopError):
        read_last_id(text, "t")


def _context(data: bytes, _space: Workspace) -> None:
    context_of(parsed(data))
    ollama_context(parsed(data))


def _exported_chats(data: bytes, space: Workspace) -> None:
    for found in read_export(space.file("export.json", data)):
        if found is not None:
            to_session_file(found, "u", "general")


READERS: dict[str, ByteReader] = {
    "conversations of other programs": ByteReader(
        [as_json(chatgpt_chat()), as_json(open_webui_chat()), as_zip(conversations__json=as_json(chatgpt_chat()))],
        _exported_chats,
        ("runtime/chat_imports/chatgpt.py", "runtime/chat_imports/open_webui.py",
         "runtime/chat_imports/export_files.py"),
    ),
    "files of a project": ByteReader(
        [b'[project]\nname = "a"\ndependencies = ["b>=1"]\n', b'{"name": "a", "dependencies": {"b": "1"}}',
         b"[metadata]\nname = a\n", b"<project><artifactId>a</artifactId></project>"],
        manifests_reader, ("extensions/code/project/project_info.py",),
    ),
    "results of a web search": ByteReader(
        [b'{"results": [{"title": "a", "url": "http://b.c", "content": "d", "engines": ["e"]}]}'],
        found_pages_reader, ("extensions/code/web_search.py",),
    ),
    "a message of an editor": ByteReader(
        [b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}'],
        editor_reader, ("extensions/code/acp/connection.py",),
    ),
    "a patch": ByteReader(
        [b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
         b"*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n"],
        lambda data, _: parse_patch(text_of(data)),
    ),
    "a reply": ByteReader(
        [b'{"thought": "x", "action": {"tool": "look_up", "args": {"query": "y"}}}',
         b'Thought: x\nAction: look_up\nAction Input: {"query": "y"}\n', b"<think>a</think>Answer: 12"],
        each_of(*(_protocol(name) for name in ("native", "json", "text"))),
    ),
    "arguments of a call": ByteReader(
        [CALL], lambda data, _: read_arguments(text_of(data)), ("models/provider_kit/call_arguments.py",)
    ),
    "a plan and an opinion": ByteReader(
        [b'{"steps": [{"description": "a", "tool_name": "look_up", "depends_on": [1]}], "score": 0.5}',
         b'{"model_info": {"a.context_length": 5}, "parameters": "num_ctx 4096", "meta": {"n_ctx_train": 1}}'],
        each_of(_plan, _context), ("core/planning/planner.py", "extensions/openai/context_length.py"),
    ),
    "a result of a tool": ByteReader(
        [CALL, b"| a | b |\n|---|---|\n| 1 | 2.5 |\n", b'[{"id": 1, "total": 12.5}, {"id": 2, "total": 3}]'],
        _observation,
        ("core/evidence/sources.py", "core/protocols/result_pages.py", "store/log/redaction.py", "tools/result.py"),
    ),
    **{f"a stream of {voice.name}": _provider(voice())
       for voice in (AnthropicVoice, OpenAIVoice, ResponsesVoice, GoogleVoice)},
    **{
        f"a document, {suffixes}": ByteReader(
            seeds, way(suffixes), ("retrieval/documents/formats.py", "retrieval/documents/code.py")
        )
        for way, documents in ((_document, DOCUMENTS), (_code, CODE))
        for suffixes, seeds in documents.items()
    },
    "an attachment": ByteReader(
        [png(), b"words\n", DOCX, b"data:image/png;base64,iVBORw0KGgo=", b"aGVsbG8="],
        each_of(
            lambda data, _: Image(data),
            lambda data, _: File(data, name="a.txt"),
            lambda data, _: data_of(text_of(data), "image"),
        ),
        ("runtime/attachments/parts.py",),
    ),
    "a combat log": ByteReader(
        [raid(1), raid(2)], _log, ("extensions/raids/log/rows.py", "extensions/raids/log/fields.py")
    ),
    "a log in an archive, or from a site": ByteReader(
        [packed(**{"a.txt": text_of(raid(1))}), json.dumps({"data": {"reportData": {"report": REPORT}}}).encode()],
        _log, ("extensions/raids/log/source.py", "extensions/raids/log/report_json.py"),
    ),
    "places and visits": ByteReader(
        [PLACES.encode(), GEOJSON + b' [1, 2]}, "properties": {"id": "a", "name": "b"}}]}', VISITS.encode(),
         b'place_id,date_range_start,visits_by_day\np1,2026-01-01,"[1,2]"\n'],
        _places("file.csv"),
        ("extensions/places/importing/reading/csv_text.py", "extensions/places/importing/rows/opening_hours.py",
         "extensions/places/importing/rows/pattern_parts.py"),
    ),
    "a shape on a map": ByteReader(
        [b"[[1, 2], [3, 4], [5, 6], [1, 2]]", b'{"type": "circle", "center": [1, 2], "radius_m": 5}'], _shape,
        ("extensions/places/query/regions.py", "extensions/places/query/geo_filter.py"),
    ),
    "files of a business": ByteReader(
        [b'supplier_id,name,rating\n1,"a",4.5\n', b'[suppliers]\nname = "Name"\nrating = { column = "r" }\n'],
        each_of(_business, _mapping), ("extensions/business/database/column_rules.py",),
    ),
    "messages of an MCP server": ByteReader(
        [TOOLS, b'{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "x"}]}}\n'],
        each_of(_listing, _mcp), ("extensions/mcp/client/transport/stdio.py",),
    ),
    "servers of a folder": ByteReader(
        [CONFIG], lambda data, _: describe_file(Path("/x/.mcp.json"), data), ("extensions/mcp/client/config.py",)
    ),
    "an assistant of a folder": ByteReader(
        [b'name = "a"\nprompt = "b"\nlike = "general"\ntools = ["t.py"]\n[limits]\ncost = 1.5\n'], _profile,
        ("runtime/assistants/assistant_files.py", "runtime/trust/kinds.py"),
    ),
    "settings of a folder": ByteReader(
        [b'A=1\nexport B="c" # d\n', b'model = "a"\n[openai]\nbase_url = "http://x"\n'],
        each_of(
            lambda data, _: parse_dotenv(data, Path(".env")),
            lambda data, _: parse_toml(data, Path("x.toml")),
        ),
        ("runtime/settings/folder.py",),
    ),
    "an exported session": ByteReader(
        [EXPORT, EXPORT + EVENTS], _export,
        ("store/tables/session_export.py", "store/log/blobs.py", "core/events/__init__.py"),
    ),
    "a suite and its runs": ByteReader(
        [SUITE, b'{"type": "header", "suite": "a"}\n'],
        each_of(
            lambda data, _: parse_suite(text_of(data), Path("/x/suite.toml")),
            lambda data, space: read_run(space.file("run.jsonl", data)),
        ),
        ("evals/suite_files.py", "evals/run_file.py"),
    ),
    "a body of a request": ByteReader(
        [CALL, MESSAGES], each_of(lambda data, _: why_unfit(data), _client),
        ("server/auth/limits.py", "extensions/dialects/client_messages.py"),
    ),
    "words of a person": ByteReader(
        [b"What is 15 % of 2,450 in miles?", b"2 * (3 + 4) / 5 ** 2", b"*/5 1-7 * * MON", b"t:12", b"[::1]:80",
         b'{"sender": "x", "entries": [{"a": 1}]}'],
        each_of(
            _words,
            lambda data, _: evaluate(text_of(data)),
            lambda data, _: convert(5.0, text_of(data), "m"),
            lambda data, _: Recurrence(text_of(data), "UTC", 0.0),
        ),
        ("runtime/bus/notify_payloads.py",),
    ),
}  # fmt: skip
