"""Bytes made at random from samples: no reader breaks on any, or takes long, and every reader is in the table.

Each has `GLASSLOOP_TEST_FUZZ_S` seconds, or a fraction of one; `make test-all` gives it 20. What fails is made again
from the name of the reader and the number in the message. `GLASSLOOP_TEST_FUZZ_SEED` makes other inputs.
"""

import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzzing.mutation import mutated
from fuzzing.readers import READERS
from fuzzing.workspace import Workspace
from glassloop.core.errors import GlassloopError

FUZZ_S = float(os.environ.get("GLASSLOOP_TEST_FUZZ_S", "0.2"))
SEED = os.environ.get("GLASSLOOP_TEST_FUZZ_SEED", "")
MAX_CPU_S = 5.0
"""For one input of 16 kB at most: far beyond what any takes, and far below what a hang would."""

SOURCE = Path(__file__).parents[2] / "src" / "glassloop"
PARSES = re.compile(
    r"\bjson\.(?:loads|decode|Decoder)\(|\btomllib\.loads?\(|\bcsv\.(?:reader|DictReader)\(|\bZipFile\("
    r"|\bmsgpack\.(?:decode|Decoder)\(|\(HTMLParser\)|\bPdfReader\(|b64decode\(|\bgzip\.open\(|\.decompress\w*\("
    r"|\bget_parser\b|\bElementTree\b|\byaml\."
)
OWN = {
    "extensions/code/suites/greenhouse/greenhouse/config.py": "the sample project of a suite, which is never run",
    **dict.fromkeys(
        ("extensions/places/sample/tables.py", "extensions/places/importing/rows/categories.py",
         "extensions/business/data_files.py", "extensions/general/conversion.py", "extensions/general/zones.py",
         "extensions/raids/sample/gear.py", "extensions/raids/sample/kits.py", "extensions/raids/sample/scripts.py",
         "extensions/raids/knowledge/loader.py", "extensions/raids/knowledge/items.py", "models/probe.py",
         "extensions/embedded/adapters.py", "evals/suites/office/reference.py", "evals/suites/office/records.py"),
        "data that we ship, and probes of our own words",
    ),
    **dict.fromkeys(
        ("extensions/places/sample/job.py", "extensions/places/importing/child.py",
         "extensions/places/importing/job.py", "extensions/raids/importing/process.py",
         "extensions/raids/importing/child.py", "extensions/embedded/process.py", "extensions/embedded/child.py",
         "extensions/embedded/llama_http.py", "retrieval/documents/readers.py",
         "retrieval/documents/child.py", "extensions/embedded/embedder/conversion.py",
         "extensions/code/search/tag_reader.py", "extensions/code/search/tag_child.py",
         "extensions/code/files/diagnostics.py", "extensions/code/files/syntax_child.py"),
        "between a process of ours and its child",
    ),
    **dict.fromkeys(
        ("extensions/places/data_set/about.py", "extensions/embedded/embedder/weights.py", "runtime/probed_models.py",
         "runtime/settings/connections.py",
         "extensions/embedded/weights/file_weights.py", "extensions/mcp/client/server_records.py", "runtime/uploads.py",
         "runtime/tools/notes_file.py", "runtime/trust/trusted_folders.py", "retrieval/code/code_contexts.py",
         "retrieval/backends/disk/lexical_index.py", "extensions/raids/fight_log.py",
         "extensions/raids/storage/queries.py", "extensions/raids/tools/history/reference_profiles.py",
         "extensions/raids/tools/reference_targets.py", "store/log/event_codec.py", "store/tables/sessions.py",
         "store/tables/jobs.py", "store/tables/schedules.py", "extensions/code/undo/kept_store.py",
         "extensions/code/search/map_store.py",
         "store/tables/governance/access.py", "tools/execution/result_cache.py"),
        "what we wrote ourselves, in the home folder or the database",
    ),
    **dict.fromkeys(
        ("extensions/embedded/embedder/graph.py", "extensions/embedded/weights/sources.py"),
        "weights, whose every byte is known by its digest",
    ),
    **dict.fromkeys(
        ("extensions/embedded/language/tool_scores.py", "extensions/reflex/tool.py", "runtime/assistants/hooks.py",
         "runtime/assistants/guardrails.py", "runtime/assistants/json_output.py", "server/observability/logs.py",
         "ready_types.py"),
        "what was encoded just before",
    ),
    "extensions/reflex/replies.py": "a result, by msgspec, in a try of its own; tests/project/test_growth.py",
    "models/provider_kit/model_list.py": "lists of providers, in a try of its own; tests/models/test_model_list.py",
    "extensions/openai/embedder.py": "vectors, checked against their number; tests/models/embedder",
    "extensions/dialects/conversation_socket.py": "tests/extensions/dialects send it what is no message",
    "extensions/mcp/server/ask_tool.py": "the state of a form, as we gave it to the client",
    "server/auth/openid.py": "answers of the provider, in a try of its own; tests/server/test_openid.py",
    "runtime/assistants/slash_commands.py": "json.loads in a try of its own",
    "cli/ui/approval.py": "arguments that a person edits, in a try of their own",
}  # fmt: skip
"""Files that parse nothing of strangers', or are tested elsewhere."""


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.close()


@pytest.mark.parametrize("name", READERS)
def test_no_bytes_break_a_reader_or_keep_it_busy(space: Workspace, name: str) -> None:
    reader = READERS[name]
    until, number = float("inf"), 0
    while time.monotonic() < until:
        rng = random.Random(f"{SEED}{name} {number}")
        data = reader.seeds[number] if number < len(reader.seeds) else mutated(rng, reader.seeds)
        began = time.process_time()
        try:
            reader.read(data, space)
        except GlassloopError:
            pass
        except Exception as error:
            raise AssertionError(f"input {number} of {name!r}: {data[:300]!r}") from error
        taken = time.process_time() - began
        # The first loads what reads it.
        assert taken < MAX_CPU_S or not number, (
            f"input {number} of {name!r} took {taken:.1f} s of CPU time: {data[:300]!r}"
        )
        number += 1
        if number == len(reader.seeds):
            # The samples do not count: the first one loads what reads it, which may take longer than all the others.
            until = time.monotonic() + FUZZ_S
    print(f"{name}: {number} inputs")


DEEP = {
    "lists": b"[" * 20_000,
    "objects": b'{"a":' * 20_000,
    "lists of TOML": b"a = " + b"[" * 20_000,
    "tables of TOML": b"a = " + b"{a=" * 20_000,
    "digits": b"a = " + b"9" * 5_000,
    "digits in a list": b"[" + b"9" * 5_000 + b"]",
}


QUICK = ("lists", "tables of TOML", "digits")


@pytest.mark.parametrize(
    "nested", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in DEEP]
)
def test_no_depth_and_no_number_breaks_a_reader(space: Workspace, nested: str) -> None:
    for name, reader in READERS.items():
        try:
            reader.read(DEEP[nested], space)
        except GlassloopError:
            pass
        except (Exception, RecursionError) as error:
            raise AssertionError(f"{nested} for {name!r}") from error


def test_every_file_that_parses_is_read_here_or_is_known_to_be_ours() -> None:
    parsing = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if PARSES.search(path.read_text("utf-8"))}
    named = {module for reader in READERS.values() for module in reader.modules}
    assert not named & OWN.keys()
    assert parsing - named - OWN.keys() == set(), "add a reader to fuzzing/readers.py"
    assert (named | OWN.keys()) - parsing == set(), "these parse nothing any more"


def test_every_reader_takes_at_least_one_of_its_samples(space: Workspace) -> None:
    refused: list[str] = []
    for name, reader in READERS.items():
        try:
            reader.read(reader.seeds[0], space)
        except GlassloopError as error:
            refused.append(f"{name}: {error}")
    assert not refused, "\n".join(refused)
