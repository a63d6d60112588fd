"""Exports of other chats, made up in the form that ChatGPT and Open WebUI write them."""

import io
import json
import zipfile

BEGAN = 1_690_000_000.0


def node(ident, parent, role=None, text="", *, at=0.0, kind="text", recipient="all", **about):
    """A node of ChatGPT's tree; without a role it has no message."""
    message = None
    if role is not None:
        content = {"content_type": kind, "parts": [text]} if kind == "text" else {"content_type": kind, "text": text}
        message = {
            "id": ident,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": BEGAN + at,
            "update_time": None,
            "content": content,
            "status": "finished_successfully",
            "end_turn": True,
            "weight": 1.0,
            "metadata": about,
            "recipient": recipient,
        }
    return {"id": ident, "message": message, "parent": parent, "children": []}


def chatgpt_chat(**changes):
    """One in which the first answer was made anew, the second question edited, and a tool used on the way."""
    nodes = [
        node("root", None),
        node("sys", "root", "system", "", is_visually_hidden_from_conversation=True),
        node("u1", "sys", "user", "How far is the moon?", at=1),
        node("a1", "u1", "assistant", "Far.", at=2, model_slug="gpt-4o"),
        node("a1b", "u1", "assistant", "384,400 km.", at=3, model_slug="gpt-4o"),
        node("u2", "a1b", "user", "In mils?", at=4),
        node("a2", "u2", "assistant", "Mils are small.", at=5, model_slug="gpt-4o"),
        node("u2b", "a1b", "user", "In miles?", at=6),
        node("c1", "u2b", "assistant", "384400 / 1.609", at=7, kind="code", recipient="python"),
        node("t1", "c1", "tool", "238906", at=8, kind="execution_output"),
        node("a2b", "t1", "assistant", "About 238,900 miles.", at=9, model_slug="o3"),
    ]
    for each in nodes:
        for other in nodes:
            if other["parent"] == each["id"]:
                each["children"].append(other["id"])
    return {
        "title": "The moon",
        "create_time": BEGAN,
        "update_time": BEGAN + 9,
        "mapping": {each["id"]: each for each in nodes},
        "moderation_results": [],
        "current_node": "a2b",
        "conversation_id": "conv-1",
        "id": "conv-1",
        "is_archived": False,
        **changes,
    }


def web_ui_message(ident, parent, role, content, at, **more):
    return {
        "id": ident,
        "parentId": parent,
        "childrenIds": [],
        "role": role,
        "content": content,
        "timestamp": int(BEGAN + at),
        **more,
    }


def open_webui_chat(**changes):
    """One whose newest version of the answer is not the one that was seen last."""
    thought = '<details type="reasoning" done="true">\n<summary>Thought</summary>\nHm.\n</details>\n'
    messages = [
        web_ui_message("m1", None, "user", "A colour?", 1, models=["llama3.2:latest"]),
        web_ui_message("m2", "m1", "assistant", f"{thought}Blue.", 2, model="llama3.2:latest", done=True),
        web_ui_message("m3", "m1", "assistant", "Green.", 3, model="qwen3:8b", done=True),
    ]
    return {
        "id": "chat-1",
        "user_id": "user-1",
        "title": "Colours",
        "chat": {
            "id": "",
            "title": "Colours",
            "models": ["llama3.2:latest"],
            "params": {},
            "history": {"messages": {each["id"]: each for each in messages}, "currentId": "m2"},
            "messages": messages[:2],
            "tags": [],
            "timestamp": int(BEGAN * 1000),
            "files": [],
        },
        "updated_at": int(BEGAN + 3),
        "created_at": int(BEGAN),
        "share_id": None,
        "archived": False,
        "pinned": True,
        "meta": {},
        "folder_id": None,
        **changes,
    }


def as_json(*chats):
    return json.dumps(list(chats)).encode()


def as_zip(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            member = zipfile.ZipInfo(name.replace("__", "."))
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
