"""`glassloop import knowledge` and `glassloop knowledge`: documents in, found, and out again."""

import time
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.cli.ui.progress import explain_wait


@pytest.fixture
def handbook(folder: Path, environment: dict[str, str]) -> Path:
    environment["GLASSLOOP_EMBEDDER"] = "none"
    made = folder / "handbook"
    made.mkdir()
    (made / "rules.md").write_text("# Signing\n\nOrders above 5,000 EUR need two signatures.\n")
    (made / "birds.md").write_text("The heron waits in the reeds.\n")
    return made


def test_files_are_imported_told_one_by_one_and_found(handbook: Path, here: Any) -> None:
    done = here("import", "knowledge", "handbook", "--domain", "Procurement")
    assert done.code == 0
    assert "handbook/rules.md  added · 1 passage" in done.out
    assert "2 added: 2 new passages." in done.out
    found = here("knowledge", "search", "who signs orders", "--limit", "1")
    assert "handbook/rules.md  line 3 · procurement · relevance" in found.out
    assert "need two signatures" in found.out
    assert here("knowledge", "search", "orders", "--domain", "finance").out.strip() == "No matches."


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_in(handbook: Path, here: Any) -> None:
    (handbook / "bad.txt").write_bytes(bytes(range(256)))
    done = here("import", "knowledge", "handbook", "--json")
    assert done.code == 1
    report = done.json
    assert (report["added"], report["failed"]) == (2, 1)
    assert report["problems"][0]["document"] == "handbook/bad.txt"
    assert {each["document"]: each["status"] for each in report["documents"]} == {
        "handbook/rules.md": "added",
        "handbook/birds.md": "added",
    }


def test_a_second_import_reads_what_changed_and_removes_nothing_unless_asked(handbook: Path, here: Any) -> None:
    here("import", "knowledge", "handbook")
    (handbook / "rules.md").write_text("Orders need one signature.")
    (handbook / "birds.md").unlink()
    again = here("import", "knowledge", "handbook", "--json").json
    assert (again["added"], again["changed"], again["removed"]) == (0, 1, 0)
    assert len(here("knowledge", "list", "--json").json) == 2
    assert here("import", "knowledge", "handbook", "--mirror", "--json").json["removed"] == 1
    assert [each["name"] for each in here("knowledge", "list", "--json").json] == ["handbook/rules.md"]


def test_documents_of_a_user_are_seen_with_the_users_name_only(handbook: Path, here: Any) -> None:
    here("import", "knowledge", "handbook/birds.md", "--user", "ada")
    assert here("knowledge", "list", "--json").json == []
    assert here("knowledge", "search", "heron", "--json").json == []
    (listed,) = here("knowledge", "list", "--user", "ada", "--json").json
    assert (listed["name"], listed["domain"], listed["shared"]) == ("birds.md", "general", False)
    (found,) = here("knowledge", "search", "heron", "--user", "ada", "--json").json
    assert (found["document"], found["why"]) == ("birds.md", "lexical")


def test_documents_are_removed_by_name_or_all_of_a_domain(handbook: Path, here: Any) -> None:
    here("import", "knowledge", "handbook", "--domain", "a")
    here("import", "knowledge", "handbook", "--domain", "b")
    assert here("knowledge", "remove", "handbook/birds.md", "--domain", "a").out == "1 document removed.\n"
    assert here("knowledge", "remove", "--all", "--domain", "b", "--json").json == {"removed": 2}
    assert [each["name"] for each in here("knowledge", "list", "--json").json] == ["handbook/rules.md"]
    assert here("knowledge", "remove", "--all", "--json").json == {"removed": 1}


def test_deleting_everything_of_a_user_deletes_their_documents_and_no_others(handbook: Path, here: Any) -> None:
    here("import", "knowledge", "handbook", "--user", "ada")
    here("import", "knowledge", "handbook", "--user", "bob")
    done = here("sessions", "delete", "--user", "ada", "--yes")
    assert "2 documents" in done.out
    assert here("knowledge", "list", "--user", "ada", "--json").json == []
    assert len(here("knowledge", "list", "--user", "bob", "--json").json) == 2


def test_mistakes_are_told_in_one_sentence(handbook: Path, here: Any) -> None:
    refused(here("import", "knowledge", "nowhere"), "There is no file or folder 'nowhere'")
    refused(here("import", "knowledge", "handbook", "--domain", "a/b"), "cannot name a domain")
    refused(here("import", "knowledge", "handbook", "--user", " "), "--user needs a name")
    refused(here("knowledge", "remove"), "Give either the documents")
    refused(here("knowledge", "remove", "x.md"), "no such document in the domain 'general'")
    refused(here("knowledge", "search", " "), "The query is empty")


def test_a_document_cannot_colour_the_terminal(handbook: Path, here: Any) -> None:
    (handbook / "evil\x1b[31m.md").write_text("The \x1b[31mheron waits. \x1b[31m\x1b[31m")
    done = here("import", "knowledge", "handbook")
    shown = here("knowledge", "search", "heron")
    assert "\x1b" not in done.out + shown.out + here("knowledge", "list").out


def test_an_empty_knowledge_base_says_so_and_how_it_fills(here: Any, handbook: Path) -> None:
    for shown in (here("knowledge", "list").out, here("knowledge", "search", "travel").out):
        told = " ".join(shown.split())
        assert told.startswith("There are no documents yet.")
        assert "glassloop import knowledge PATH" in told
        assert "the first time `business` searches" in told
    assert here("knowledge", "list", "--domain", "finance").out.startswith("No matching documents.")


def test_what_takes_long_where_there_is_no_bar_is_told_once(capsys: Any) -> None:
    told = ""
    ends = time.monotonic() + 60
    with explain_wait("It takes a while …", after_s=0.0):
        while not told:
            assert time.monotonic() < ends
            told = capsys.readouterr().err
    with explain_wait("It never comes to this.", after_s=3600.0):
        pass
    assert (told, capsys.readouterr().err) == ("It takes a while …\n", "")
