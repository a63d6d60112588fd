"""Every route, put together in one place."""

from fastapi import APIRouter

from glassloop.server.routes import (
    access,
    admin,
    admin_reports,
    catalogue,
    grants,
    health,
    jobs,
    knowledge,
    page,
    review,
    sessions,
    turns,
    uploads,
)

ROUTERS: tuple[APIRouter, ...] = (
    turns.router,
    sessions.router,
    grants.router,
    jobs.router,
    uploads.router,
    knowledge.router,
    catalogue.router,
    access.router,
    admin.router,
    review.router,
    admin_reports.router,
    health.router,
    page.router,
)
