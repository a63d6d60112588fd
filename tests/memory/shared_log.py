"""A log that several working memories share, as the port `Archive` sees it."""

from glassloop.core.errors import StoreError
from glassloop.core.records import ConversationTurn
from glassloop.memory.working_memory import MAX_TURNS, SessionPosition


def turn(name, session="s", text=""):
    return ConversationTurn(id=str(name), session_id=session, user_query=f"q{name} {text}", agent_response=f"a{name}")


class Log:
    """The port `Archive` over lists, in the order in which turns started. `asked` is what it was asked, `known` the
    turns it was last told not to bring."""

    def __init__(self):
        self.sessions = {}
        self.asked = []
        self.known = ()
        self.away = set()
        self.gate = None

    def session(self, user="anonymous", name="s"):
        return self.sessions.setdefault((user, name), {"began": "1", "cut": 0, "rows": [], "summary": None})

    def finish(self, name, user="anonymous", session="s", text=""):
        rows = self.session(user, session)["rows"]
        found = next((place for place, row in enumerate(rows) if row == str(name)), None)
        if found is None:
            rows.append(turn(name, session, text))
        else:
            rows[found] = turn(name, session, text)
        return turn(name, session, text)

    def start(self, name):
        self.session()["rows"].append(str(name))

    async def _ask(self, what):
        self.asked.append(what)
        if what in self.away:
            raise StoreError("The database is away: start it.")

    async def standing(self, session_id, user):
        await self._ask("standing")
        found = self.sessions.get((user, session_id))
        if found is None:
            return None
        finished = sum(not isinstance(row, str) for row in found["rows"])
        cut_off = str(found["cut"]) if found["cut"] else None
        after = [row if isinstance(row, str) else row.id for row in found["rows"]][found["cut"] :]
        summary = found["summary"] if found["summary"] and found["summary"][1] in after else None
        return SessionPosition(began=found["began"], cut_off=cut_off, version=finished, summary=summary)

    async def turns(self, session_id, user, after, *, cut_off=None, known=()):
        await self._ask("turns")
        self.known = known
        rows = self.sessions[user, session_id]["rows"][int(cut_off or 0) :]
        ids = [row if isinstance(row, str) else row.id for row in rows]
        rows = rows[ids.index(after) + 1 if after in ids else 0 :]
        found = [row for row in rows if not isinstance(row, str)][-MAX_TURNS:]
        if self.gate is not None:
            await self.gate.wait()
        return [turn(row.id, session_id, "known") if row.id in known else row for row in found]

    async def save_summary(self, session_id, user, text, turn_id):
        await self._ask("save_summary")
        self.sessions[user, session_id]["summary"] = text, turn_id

    async def forget(self, session_id, user):
        await self._ask("forget")
        found = self.session(user, session_id)
        found["cut"] = len(found["rows"])
