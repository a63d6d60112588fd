"""Bookings: a table of our own in the database of the store."""

import time

FIELDS = ("berth", "ship", "user_id", "booked_at")


class Bookings:
    def __init__(self, store):
        self._store = store

    async def list(self, user=""):
        """Everybody's, or one user's."""
        sql = f"SELECT {', '.join(FIELDS)} FROM harbour_bookings WHERE :user IN ('', user_id) ORDER BY berth"
        rows = await self._store.engine.read(lambda db: db.run(sql, user=user))
        return [dict(zip(FIELDS, row, strict=True)) for row in rows]

    async def add(self, berth, ship, user):
        """Whether the berth was free."""
        sql = "INSERT INTO harbour_bookings VALUES (:berth, :ship, :user, :at) ON CONFLICT DO NOTHING RETURNING berth"
        return bool(await self._write(sql, berth=berth, ship=ship, user=user, at=time.time()))

    async def delete_of(self, user):
        return await self._write("DELETE FROM harbour_bookings WHERE user_id = :user RETURNING berth", user=user)

    async def delete_before(self, at):
        return await self._write("DELETE FROM harbour_bookings WHERE booked_at < :at RETURNING berth", at=at)

    async def _write(self, sql, **values):
        return len(await self._store.engine.write(lambda db: db.run(sql, **values)))
