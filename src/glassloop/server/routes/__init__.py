"""Every route, put together in one place."""

from fastapi import APIRouter

from glassloop.server.routes import (
    access,
    admin,
    catalogue,
    collections,
    connections,
    folders,
    governance,
    health,
    jobs,
    knowledge,
    notes,
    notifications,
    page,
    schedules,
    sessions,
    shares,
    turns,
    uploads,
)

ROUTERS: tuple[APIRouter, ...] = tuple(
    each.router
    for each in (
        turns,
        sessions,
        shares,
        schedules,
        jobs,
        uploads,
        knowledge,
        collections,
        notes,
        notifications,
        catalogue,
        connections,
        folders,
        access,
        governance,
        admin,
        health,
        page,
    )
)
