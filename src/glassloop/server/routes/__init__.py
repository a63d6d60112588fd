"""Every route, put together in one place."""

from fastapi import APIRouter

from glassloop.server.dialects import agent, analyze, chat_react, openai
from glassloop.server.routes import (
    access,
    admin,
    catalogue,
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

ROUTERS: tuple[APIRouter, ...] = (
    turns.router,
    sessions.router,
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
    health.router,
    page.router,
)
