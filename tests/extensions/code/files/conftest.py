"""A workspace of one session, and the tools for its files, and for searching them, as a turn calls them."""

import itertools

import pytest

from glassloop.core.errors import UsageError
from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall
from glassloop.extensions.code.access import Access, OperationRate
from glassloop.extensions.code.files.tools import make_tools
from glassloop.extensions.code.search.code_map import CodeMaps
from glassloop.extensions.code.search.file_tools import file_tools
from glassloop.extensions.code.search.listing import Listings
from glassloop.extensions.code.search.map_tools import map_tools
from glassloop.extensions.code.search.tag_reader import TagReader
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.registry import ToolRegistry


class OneFolder:
    """Gives ann's sessions one folder."""

    def __init__(self, root):
        self.root = root

    async def of(self, user, session_id):
        if user != "ann":
            raise UsageError("This session has no workspace: start it in a folder.")
        return Workspace(root=self.root, user=user, session_id=session_id)


class Pack:
    """Calls tools by name, each call with an id of its own, or previews them first with the same id."""

    def __init__(self, home, root, rate=1_000_000):
        self.home, self.root = home, root
        self.workspaces = OneFolder(root)
        self.tools = {
            each.name: each for each in make_tools(home, workspaces=self.workspaces, rate=OperationRate(limit=rate))
        }
        self.kept = KeptStore(home)
        self._reader = TagReader()
        access, listings = Access(self.workspaces, OperationRate(limit=rate)), Listings()
        search = (
            *file_tools(access, listings),
            *map_tools(access, listings, CodeMaps(None, self._reader), self._reader),
        )
        self._orchestrator = ToolOrchestrator(ToolRegistry([*self.tools.values(), *search]))
        self._numbers = itertools.count(1)

    def close(self):
        self._reader.close()

    def context(self, call_id=None, turn="turn_1", user="ann", session="s1"):
        return CallContext(
            turn_id=turn, session_id=session, user=user, call_id=call_id or f"call_{next(self._numbers)}"
        )

    async def call(self, tool, context=None, **args):
        context = context or self.context()
        return await self._orchestrator.execute_tool(ToolCall(id=context.call_id, tool=tool, args=args), context)

    async def preview(self, tool, context=None, **args):
        context = context or self.context()
        return await self._orchestrator.preview(ToolCall(id=context.call_id, tool=tool, args=args), context)

    async def turn(self, turn, tool, **args):
        return await self.done(tool, self.context(turn=turn), **args)

    async def done(self, tool, context=None, **args):
        result = await self.call(tool, context, **args)
        assert result.success, result.error
        return result

    async def refused(self, tool, context=None, **args):
        result = await self.call(tool, context, **args)
        assert not result.success, result.output
        assert str(self.root.parent) not in result.error.replace(str(args), "")
        return result.error

    def put(self, path, content, mode=None):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            place.chmod(mode)
        return place

    def bytes(self, path):
        return (self.root / path).read_bytes()

    def text(self, path):
        return self.bytes(path).decode()

    def files(self):
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if not path.is_dir())


@pytest.fixture
def pack(tmp_path):
    base = tmp_path.resolve()
    (base / "work").mkdir()
    made = Pack(base / "home", base / "work")
    yield made
    made.close()
