"""An MCP server that misbehaves on demand: `python odd_server.py HABIT [FOLDER]`. Speaks raw lines, without an SDK.

In FOLDER it notes its process id in `pids` and every message it gets in `heard`; some habits read files from there.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HABIT = sys.argv[1]
FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 else None
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
COLLIDING = ["a.b", "a_b", "a b", "a\x07b", "\u202eevil", "x" * 100, "x" * 99, "x" * 129, "", "echo", "echo"]


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(name, text):
    if FOLDER is not None:
        with (FOLDER / name).open("a") as file:
            file.write(text + "\n")


def tool(name, description="A tool.", schema=None, **more):
    return {"name": name, "description": description, "inputSchema": schema or TEXT, **more}


def tools(cursor):
    if HABIT == "many":
        return {"tools": [tool(f"t{number}", schema={"type": "object"}) for number in range(10_000)]}
    if HABIT == "pages":
        number = int(cursor or 0)
        return {"tools": [tool(f"t{number}")], "nextCursor": str(number + 1)}
    if HABIT == "circle":
        return {"tools": [tool(f"t{cursor or 0}")], "nextCursor": "1"}
    if HABIT == "names":
        return {"tools": [tool(name) for name in COLLIDING]}
    if HABIT == "listing":
        return {"tools": json.loads((FOLDER / "tools.json").read_text())}
    if HABIT == "vast":
        return {"tools": [tool("echo", "x" * 3_000_000)]}
    return {"tools": [tool("echo"), tool("misbehave"), tool("look", annotations={"readOnlyHint": True})]}


def answer(request, result):
    if HABIT == "modern":
        result = {**result, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def said(text):
    return {"content": [{"type": "text", "text": text}]}


def misbehave(request):
    if HABIT == "dies":
        print("out of cheese, token=hunter2hunter2", file=sys.stderr, flush=True)
        os._exit(7)
    if HABIT == "hangs":
        return
    if HABIT == "deaf":
        time.sleep(3600)
    if HABIT == "huge":
        answer(request, said("x" * 3_000_000))
    elif HABIT == "huge_last":
        print(json.dumps({"result": said("x" * 3_000_000), "jsonrpc": "2.0", "id": request["id"]}), flush=True)
    elif HABIT == "no_newline":
        while True:
            sys.stdout.write("{" + "x" * 100_000)
    elif HABIT == "chatters":
        chatter(request)
        answer(request, said("after all that"))
    elif HABIT == "chatters_forever":
        while True:
            chatter(request)
    elif HABIT == "half":
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": said("half a \ud83d")}), flush=True)
    elif HABIT == "bytes":
        line = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": said("Gr~sse")})
        os.write(1, line.encode().replace(b"~", b"\xfc") + b"\n")
    elif HABIT == "garbage":
        answer(request, {"content": "not a list"})
    elif HABIT == "error":
        send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": "no such luck"}})
    elif HABIT == "says_error":
        answer(request, {**said("the disk is full"), "isError": True})
    elif HABIT == "changes":
        (FOLDER / "tools.json").write_text((FOLDER / "next.json").read_text())
        answer(request, said("changed"))
    elif HABIT == "everything_else":
        answer(request, {"content": PARTS, "structuredContent": {"n": 1}})
    else:
        answer(request, said("well"))


PARTS = [
    {"type": "text", "text": "first"},
    {"type": "image", "data": "QUJD" * 100, "mimeType": "image/png"},
    {"type": "audio", "data": "QUJD", "mimeType": "audio/wav"},
    {"type": "resource_link", "uri": "file:///tmp/x.txt", "name": "x"},
    {"type": "resource", "resource": {"uri": "file:///tmp/y.txt", "text": "inside"}},
    {"type": "resource", "resource": {"uri": "file:///tmp/z.bin", "blob": "QUJD", "mimeType": "x/y"}},
]


def chatter(request):
    log = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 50}}
    for number in range(200):
        send(log)
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        send({"jsonrpc": "2.0", "id": f"r{number}", "method": "ping"})
        send({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress(request, number)})
        print("{ this is not JSON\n\n\nnor is this", flush=True)
        print("x" * 200, file=sys.stderr, flush=True)


def progress(request, number):
    return {"progressToken": request["params"]["_meta"]["progressToken"], "progress": number, "total": 200}


def call(request):
    name, args = request["params"]["name"], request["params"].get("arguments") or {}
    note("calls", json.dumps([name, args]))
    if name == "misbehave":
        misbehave(request)
    elif name == "tell":
        (FOLDER / "tools.json").write_text((FOLDER / "next.json").read_text())
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        answer(request, said("told"))
    elif name == "secrets":
        answer(request, said(json.dumps(dict(os.environ))))
    else:
        answer(request, said(args.get("text", "nothing")))


def greet(request):
    if HABIT == "mute":
        return
    if HABIT == "late":
        # Longer than a turn waits for it.
        time.sleep(11)
    if HABIT == "dies_at_once":
        print("cannot find its config", file=sys.stderr, flush=True)
        sys.exit(3)
    if HABIT == "modern":
        supported = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
        error = {"code": -32022, "message": "Unsupported protocol version", "data": supported}
        send({"jsonrpc": "2.0", "id": request["id"], "error": error})
        return
    if HABIT == "garbage":
        print("<html>\nWelcome!\n{}\n[1, 2]\nnull\n\x00\xff", flush=True)
    if HABIT == "parent":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        note("pids", str(child.pid))
    info = {"name": "odd", "version": "1"}
    capabilities = {"tools": {"listChanged": True}}
    answer(request, {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info})


def main():
    note("pids", str(os.getpid()))
    for line in sys.stdin:
        note("heard", line.strip())
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            greet(message)
        elif method == "server/discover":
            answer(message, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
        elif method == "tools/list":
            answer(message, tools((message.get("params") or {}).get("cursor")))
        elif method == "tools/call":
            call(message)
    if HABIT == "stays":
        time.sleep(3600)


main()
