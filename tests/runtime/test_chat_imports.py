"""Exports of other chats as turns: versions kept, what was seen last last, nothing trusted."""

import msgspec
import pytest

from foreign_chats import BEGAN, as_json, as_zip, chatgpt_chat, node, open_webui_chat
from glassloop.core.errors import UsageError
from glassloop.runtime.chat_imports.chatgpt import read_chatgpt
from glassloop.runtime.chat_imports.conversation_importer import to_session_file
from glassloop.runtime.chat_imports.export_files import read_export
from glassloop.runtime.chat_imports.message_tree import ForeignConversation, ForeignMessage, turns_of
from glassloop.runtime.chat_imports.open_webui import read_open_webui


def told(conversation):
    turns = turns_of(conversation)
    keys = {turn.key: turn.question for turn in turns}
    return [(turn.question, turn.answer, keys.get(turn.previous, ""), turn.model) for turn in turns]


def test_a_chatgpt_conversation_keeps_its_versions_and_leaves_out_what_went_to_tools():
    moon = "How far is the moon?"
    assert told(read_chatgpt(msgspec.json.encode(chatgpt_chat()))) == [
        (moon, "Far.", "", "gpt-4o"),
        (moon, "384,400 km.", "", "gpt-4o"),
        ("In mils?", "Mils are small.", moon, "gpt-4o"),
        ("In miles?", "About 238,900 miles.", moon, "o3"),
    ]


def test_the_version_that_was_seen_last_comes_last_whatever_its_time():
    chat = read_open_webui(msgspec.json.encode(open_webui_chat()))
    assert told(chat) == [
        ("A colour?", "Green.", "", "qwen3:8b"),
        ("A colour?", "Blue.", "", "llama3.2:latest"),
    ]
    times = [turn.at for turn in turns_of(chat)]
    assert times == sorted(set(times))
    mils = turns_of(read_chatgpt(msgspec.json.encode(chatgpt_chat(current_node="a2"))))
    assert mils[-1].question == "In mils?"


def test_an_old_open_webui_export_without_a_tree_is_a_line():
    given = open_webui_chat()
    given["chat"].pop("history")
    assert told(read_open_webui(msgspec.json.encode(given))) == [("A colour?", "Blue.", "", "llama3.2:latest")]


def test_questions_without_answers_and_answers_without_questions_are_kept():
    def message(ident, parent, role, text):
        return ForeignMessage(id=ident, parent=parent, role=role, text=text)

    messages = [
        message("1", "", "assistant", "Hello!"),
        message("2", "1", "user", "One"),
        message("3", "2", "user", "Two"),
        message("4", "3", "assistant", ""),
    ]
    chat = ForeignConversation(
        source="chatgpt", id="c", title="", at=BEGAN, current="4", messages={each.id: each for each in messages}
    )
    assert [(question, answer) for question, answer, *_ in told(chat)] == [
        ("(The conversation begins with this answer.)", "Hello!"),
        ("One", None),
        ("Two", None),
    ]


def test_a_circle_of_messages_and_impossible_times_end():
    mapping = {"a": node("a", "b", "user", "Hm?"), "b": node("b", "a", "assistant", "Hm.")}
    assert turns_of(read_chatgpt(msgspec.json.encode(chatgpt_chat(mapping=mapping)))) == []
    mapping = {"a": node("a", "a", "user", "Hm?", at=1e300), "b": node("b", "a", "assistant", "Hm.", at=-1e300)}
    chat = read_chatgpt(msgspec.json.encode(chatgpt_chat(mapping=mapping)))
    made = to_session_file(chat, "ann", "general")
    assert made is not None
    assert made.turns == 1


def test_files_are_json_or_a_zip_that_holds_it(tmp_path):
    file = tmp_path / "export"
    for data in (
        as_json(chatgpt_chat(), open_webui_chat()),
        as_zip(chat__html="<html>", conversations__json=as_json(chatgpt_chat(), open_webui_chat())),
        as_zip(
            **{
                "conversations-000__json": as_json(chatgpt_chat()),
                "conversations-001__json": as_json(open_webui_chat()),
            }
        ),
    ):
        file.write_bytes(data)
        assert [found.source for found in read_export(file)] == ["chatgpt", "open_webui"]
    file.write_bytes(msgspec.json.encode(chatgpt_chat()))
    assert [found.title for found in read_export(file)] == ["The moon"]
    file.write_bytes(as_json({"mapping": 3}, chatgpt_chat(), {"other": 1}, 7))
    assert [found and found.title for found in read_export(file)] == [None, "The moon", None, None]


@pytest.mark.parametrize("data", [b"", b"hello", b"[" * 100_000, as_zip(notes__txt=b"x"), b"PK\x05\x06" + bytes(18)])
def test_what_is_no_export_is_refused_with_what_to_give(data, tmp_path):
    file = tmp_path / "export"
    file.write_bytes(data)
    with pytest.raises(UsageError, match="ChatGPT"):
        list(read_export(file))


def test_a_zip_whose_data_are_damaged_is_refused(tmp_path):
    file, name = tmp_path / "export.zip", b"conversations.json"
    packed = bytearray(as_zip(conversations__json=as_json(chatgpt_chat())))
    start = packed.index(name) + len(name)
    packed[start : start + 20] = b"\xff" * 20
    file.write_bytes(packed)
    with pytest.raises(UsageError, match="download the export again"):
        list(read_export(file))


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path):
    file = tmp_path / "export.zip"
    file.write_bytes(as_zip(conversations__json=b" " * 2_000_000))
    with pytest.raises(UsageError, match="split"):
        list(read_export(file, max_bytes=1_000_000))
