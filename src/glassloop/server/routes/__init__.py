"""Every route, put together in one place."""

from fastapi import APIRouter

from glassloop.server.dialects import agent, analyze, chat_react, openai
from glassloop.server.routes import (
    access,
    admin,
    catalogue,
    grants,
    health,
    jobs,
    knowledge,
    page,
    review,
    servers,
    sessions,
    turns,
    uploads,
)
from glassloop.server.routes import admin_reports as looking

ROUTERS: tuple[APIRouter, ...] = (
    turns.router,
    sessions.router,
    grants.router,
    jobs.router,
    uploads.router,
    knowledge.router,
    catalogue.router,
    servers.router,
    access.router,
    agent.router,
    analyze.router,
    chat_react.router,
    openai.router,
    admin.router,
    review.router,
    looking.router,
    health.router,
    page.router,
)
