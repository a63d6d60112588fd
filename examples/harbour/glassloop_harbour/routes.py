"""`/api/harbour`: one's own bookings, and a count of all as a job."""

from fastapi import APIRouter, Request

from glassloop.server.auth.identity import Admin, User
from glassloop.server.dependencies import runtime_of, settings_of
from glassloop_harbour import HarbourSettings
from glassloop_harbour.bookings import Bookings

router = APIRouter(prefix="/api/harbour", tags=["harbour"])


@router.get("/bookings")
async def bookings(request: Request, caller: User):
    """Your bookings."""
    port = settings_of(request).of(HarbourSettings).port
    return {"port": port, "bookings": await Bookings(runtime_of(request).store).list(caller.user)}


@router.post("/count")
async def count(request: Request, caller: Admin):
    """Have all bookings counted."""
    return {"job": (await runtime_of(request).jobs.submit("harbour_count", user=caller.user)).id}
