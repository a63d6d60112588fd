"""Samples of what readers read, to be changed at random."""

import io
import zipfile
from collections.abc import Sequence

from pypdf import PdfWriter

from glassloop.extensions.raids.sample.raid import make_raid


def packed(**members: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return out.getvalue()


def pdf() -> bytes:
    writer, out = PdfWriter(), io.BytesIO()
    writer.add_blank_page(72, 72)
    writer.write(out)
    return out.getvalue()


WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
DOCX = packed(**{"word__document.xml": f"{WORD}<w:t>Herons wait.</w:t></w:r></w:p></w:body></w:document>"})
DOCUMENTS: dict[str, Sequence[bytes]] = {
    ".pdf": [pdf()],
    ".docx": [DOCX],
    ".html": [b"<!doctype html><h1>A</h1><p>b <a href='c'>d</a><table><tr><td>1</table><script>x</script>"],
    ".txt .md": [
        "Größe\n\nzwei".encode("latin-1"),
        "一二三。\n".encode("gb18030"),
        b"# A\n\n- b\n- c\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```\n",
    ],
    ".csv": [b'id,name\n1,"a ""b"""\n2,c\n'],
}
CODE: dict[str, Sequence[bytes]] = {
    ".py .js .pl": [
        b"class A:\n    def b(self):\n        return [1, (2, '3')]\n",
        b"function a(b) { return `x${b}` + /c+/.test(b) ? [1] : {d: 2}; }\n",
        b"sub a { my ($b) = @_; return $b =~ s/x/y/r; }\n",
    ],
}


def raid(seed: int) -> bytes:
    return "".join(f"{line}\n" for line in make_raid(seed, health=0.02).lines()).encode()[:12_000]


REPORT = {
    "title": "a",
    "startTime": 1,
    "endTime": 9,
    "fights": [{"id": 1, "name": "B", "startTime": 0, "endTime": 5, "encounterID": 50663, "kill": True}],
    "masterData": {"actors": [{"id": 1, "name": "Ann", "type": "Player", "subType": "Mage"}], "abilities": []},
    "events": [{"timestamp": 1, "type": "damage", "sourceID": 1, "targetID": 2, "abilityGameID": 3, "amount": 4}],
}


EXPORT = (
    b'{"format":"glassloop.session","version":1}\n'
    b'{"session":{"id":"session-1","user_id":"u","channel":"api","started_at":"2026-01-01T00:00:00+00:00",'
    b'"ended_at":null,"message_count":0,"status":"active","rating":null,"rating_note":null,"metadata":{},'
    b'"title":"","assistant":"general","last_active":"2026-01-01T00:00:00+00:00","summary":null,'
    b'"summary_turn_id":null,"forgotten_at":null}}\n'
)
EVENTS = (
    b'{"event":{"type":"turn_started","turn_id":"t","seq":1,"at":1.0,"question":"q","user":"u","session_id":'
    b'"session-1","assistant":"general","model":"m","protocol":"native","settings":{}}}\n'
    b'{"event":{"type":"turn_finished","turn_id":"t","seq":2,"at":2.0,"status":"failed","iterations":1,"tool_calls":0,'
    b'"input_tokens":1,"output_tokens":1,"cost":null,"unpriced_calls":0,"seconds":1.0,"error":"x"}}\n'
)

CALL = b'{"query": "a \\"b\\" \\u00e9", "n": [1, 2.5, null, {"deep": true}]}'
CONFIG = b'{"mcpServers": {"a": {"command": "x", "args": ["-y"], "env": {"K": "v"}}, "b": {"url": "http://x/"}}}'
TOOLS = b'[{"name": "a", "description": "b", "inputSchema": {"type": "object", "properties": {"c": {"$ref": "#/x"}}}}]'
MESSAGES = (
    b'[{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image_url", "image_url":'
    b' {"url": "data:image/png;base64,iVBORw0KGgo="}}]}, {"role": "assistant", "tool_calls": [{"id": "1",'
    b' "function": {"name": "x", "arguments": "{\\"a\\": 1}"}}]}, {"role": "tool", "tool_call_id": "1", "content": ""}]'
)
SUITE = b'name = "s"\nassistant = "general"\n[[cases]]\nid = "a"\nquestion = "b"\nanswer = { figures = [441] }\n'
GEOJSON = b'{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point", "coordinates":'
