"""`Store`: the event log and the tables around it, on whatever database it was opened on."""

import asyncio
from types import TracebackType
from typing import Self

from glassloop.store.engine.encryption import Cipher
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log.blobs import BlobTable
from glassloop.store.log.redaction import Redactor
from glassloop.store.log.turn_log import TraceOf
from glassloop.store.log.turns import Turns
from glassloop.store.tables.collections import CollectionTable
from glassloop.store.tables.dead_letters import DeadLetterTable
from glassloop.store.tables.governance.access import AccessTable
from glassloop.store.tables.governance.audit import AuditTable
from glassloop.store.tables.governance.operations import ToolOperationTable
from glassloop.store.tables.governance.spend import SpendingTable
from glassloop.store.tables.grants import GrantTable
from glassloop.store.tables.inbox import InboxTable, NotificationTable
from glassloop.store.tables.jobs import JobTable
from glassloop.store.tables.keys import KeyTable, SecretTable, SignInTable
from glassloop.store.tables.maintenance import StoreMaintenance
from glassloop.store.tables.message_pages import MessagePages
from glassloop.store.tables.ratings import RatingTable
from glassloop.store.tables.schedules import ScheduleTable
from glassloop.store.tables.search import SessionSearch
from glassloop.store.tables.session_export import SessionExports
from glassloop.store.tables.sessions import SessionTable
from glassloop.store.tables.shares import ShareTable
from glassloop.store.tables.statistics import TurnStatistics
from glassloop.store.tables.tool_statistics import ToolStatistics
from glassloop.store.tables.turn_messages import TurnMessageTable
from glassloop.store.tables.users import UserTable
from glassloop.store.tables.workspaces import SessionWorkspaceTable


class Store:
    """Opened by `open_store`; belongs to one event loop at a time. Close it with `aclose`, or use `async with`."""

    def __init__(self, engine: StoreEngine, redactor: Redactor, cipher: Cipher, trace: TraceOf | None) -> None:
        self.engine = engine
        self.turns = Turns(engine, redactor, cipher, trace)
        self.turn_messages = TurnMessageTable(engine, redactor, cipher)
        self.sessions = SessionTable(engine, redactor, trace)
        self.message_pages = MessagePages(engine)
        self.exports = SessionExports(engine, redactor, trace)
        self.search = SessionSearch(engine)
        self.blobs = BlobTable(engine)
        self.ratings = RatingTable(engine, redactor)
        self.grants = GrantTable(engine)
        self.shares = ShareTable(engine)
        self.workspaces = SessionWorkspaceTable(engine)
        self.collections = CollectionTable(engine)
        self.jobs = JobTable(engine, redactor)
        self.dead_letters = DeadLetterTable(engine)
        self.schedules = ScheduleTable(engine, redactor)
        self.inbox = InboxTable(engine)
        self.notifications = NotificationTable(engine)
        self.users = UserTable(engine)
        self.keys = KeyTable(engine)
        self.sign_ins = SignInTable(engine)
        self.secrets = SecretTable(engine)
        self.audit = AuditTable(engine, redactor)
        self.operations = ToolOperationTable(engine, redactor)
        self.access = AccessTable(engine)
        self.spending = SpendingTable(engine)
        self.statistics = TurnStatistics(engine)
        self.tool_statistics = ToolStatistics(engine, self.statistics.totals)
        self.maintenance = StoreMaintenance(engine)

    async def aclose(self) -> None:
        """Stores what was given, then closes. Closing twice is fine."""
        await asyncio.to_thread(self.engine.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
