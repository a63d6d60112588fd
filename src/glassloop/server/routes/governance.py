"""Governance: what a user may use and spends, the rules that decide it, and the audit to verify and to take away."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from glassloop.core.access import MAX_PATTERNS, MAX_SUBJECT_CHARS, AccessRule, SpendLimits
from glassloop.core.errors import UnknownName, UsageError
from glassloop.server.auth.identity import Admin, User
from glassloop.server.dependencies import Body, Reviewer, runtime_of, settings_of
from glassloop.server.http.routing import route
from glassloop.server.routes.sessions import Limit, Offset
from glassloop.server.routes.turns import ActionResult
from glassloop.store.store import Store
from glassloop.store.tables.governance.audit import parse_kept
from glassloop.store.tables.governance.audit_chain import AuditVerification
from glassloop.store.tables.governance.operations import Outcome, ToolOperation
from glassloop.store.tables.governance.spend import Spent

router = APIRouter(tags=["governance"])

Patterns = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=MAX_PATTERNS)]
Dollars = Annotated[float, Field(ge=0, le=1e9)]
Tokens = Annotated[int, Field(ge=0, le=10**15)]
Subject = Annotated[str, Query(min_length=1, max_length=MAX_SUBJECT_CHARS)]


class OwnAccess(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller may use and spend. Names may hold `*`; null is all there are. `today` and `month` are what is
    spent since their beginning (UTC), null where nothing limits it."""

    groups: Sequence[str]
    models: Sequence[str] | None
    assistants: Sequence[str] | None
    tools: Sequence[str] | None
    limits: SpendLimits
    today: Spent | None
    month: Spent | None


class RuleView(msgspec.Struct, frozen=True, kw_only=True):
    """A rule, for everybody (`*`), `group:NAME` or `user:NAME`. `fixed`: it stands in the settings file, and only there
    can it be changed."""

    subject: str
    rule: AccessRule
    fixed: bool


class AccessView(msgspec.Struct, frozen=True, kw_only=True):
    """The rules, and the models that are open to everybody where no rule names any."""

    rules: Sequence[RuleView]
    open_models: Sequence[str]


class NewRule(Body):
    """A rule, in place of the one there is for its subject. What is absent or null it leaves to less specific rules."""

    subject: Annotated[str, Field(min_length=1, max_length=MAX_SUBJECT_CHARS)]
    models: Patterns | None = None
    assistants: Patterns | None = None
    tools: Patterns | None = None
    dollars_per_day: Dollars | None = None
    dollars_per_month: Dollars | None = None
    tokens_per_day: Tokens | None = None
    tokens_per_month: Tokens | None = None


class UserSpending(msgspec.Struct, frozen=True, kw_only=True):
    """What a user spent and may spend."""

    user: str
    today: Spent
    month: Spent
    limits: SpendLimits


@route(router.get, "/api/me/access", "What the caller may use and spend.")
async def own_access(request: Request, caller: User) -> OwnAccess:
    """Which models, assistants and tools you may use, what you may spend, and what you have spent."""
    runtime = runtime_of(request)
    allowed = await runtime.access.permissions(caller.user)
    today, month = (None, None)
    if allowed.limits.are_set:
        today, month = await runtime.store.spending.of_user(caller.user)
    return OwnAccess(
        groups=await runtime.store.access.groups(caller.user),
        models=await runtime.access.models_of(caller.user),
        assistants=allowed.assistants,
        tools=allowed.tools,
        limits=allowed.limits,
        today=today,
        month=month,
    )


@route(router.get, "/admin/access", "The rules, by subject.")
async def rules(request: Request, _caller: Admin) -> AccessView:
    """Who may use and spend what."""
    return await _rules(request)


@route(router.put, "/admin/access", "The updated rules.", 400)
async def set_rule(request: Request, body: NewRule, caller: Admin) -> AccessView:
    """Set the rule for everybody (`*`), `group:NAME` or `user:NAME`. It counts for turns that start from now on."""
    runtime = runtime_of(request)
    _check_free(request, body.subject)
    given: dict[str, Any] = body.model_dump(exclude={"subject"})
    await runtime.store.access.set_rule(body.subject, msgspec.convert(given, AccessRule), by=caller.user)
    return await _rules(request)


@route(router.delete, "/admin/access", "Removed.", 400, 404)
async def remove_rule(request: Request, subject: Subject, caller: Admin) -> ActionResult:
    """Remove the rule of a subject."""
    _check_free(request, subject)
    runtime = runtime_of(request)
    if not await runtime.store.access.remove_rule(subject, by=caller.user):
        raise UnknownName(f"There is no rule for {subject!r}: GET /admin/access lists all rules.")
    runtime.access.forget()
    return ActionResult(done=True)


@route(router.get, "/admin/spending", "Those who spent most this month first.")
async def spending(request: Request, _caller: Admin) -> Sequence[UserSpending]:
    """What users spent today and this month, and may spend."""
    runtime = runtime_of(request)
    return [
        UserSpending(
            user=today.user_id,
            today=today,
            month=month,
            limits=(await runtime.access.permissions(today.user_id)).limits,
        )
        for today, month in await runtime.store.spending.of_everybody()
    ]


@route(router.get, "/admin/audit/verification", "What a look at the whole chain found.", 400)
async def verify_audit(
    request: Request, _caller: Reviewer, kept: Annotated[str | None, Query(max_length=100)] = None
) -> AuditVerification:
    """Whether the audit is whole. `kept`: the number and digest of an entry, as `NUMBER:DIGEST`, from an earlier
    verification: then it is also told whether anything up to there was taken away."""
    return await runtime_of(request).store.audit.verify(parse_kept(kept) if kept else None)


@route(
    router.get,
    "/admin/audit/export",
    "A line of JSON for each entry, the oldest first.",
    400,
    content={"application/x-ndjson": {"schema": {"type": "string"}}},
)
async def export_audit(
    request: Request, _caller: Reviewer, after: Annotated[int, Query(ge=0, le=10**15)] = 0
) -> Response:
    """All entries of the audit with all that their digests cover, from after a number on."""
    headers = {"content-disposition": 'attachment; filename="audit.jsonl"'}
    lines = audit_lines(runtime_of(request).store, after)
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


@route(router.get, "/admin/audit/operations", "Newest first.", 400)
async def list_operations(
    request: Request,
    _caller: Reviewer,
    limit: Limit = 50,
    offset: Offset = 0,
    kind: Annotated[str | None, Query(max_length=40)] = None,
    user_id: Annotated[str | None, Query(max_length=200)] = None,
    session_id: Annotated[str | None, Query(max_length=200)] = None,
    outcome: Outcome | Literal[""] | None = None,
) -> Sequence[ToolOperation]:
    """What tools did to files and which commands they ran, for whom, and what became of it. `kind`: the tools of one
    pack, such as `code`."""
    return await runtime_of(request).store.operations.list(
        limit,
        offset,
        kind=kind or None,
        user_id=user_id or None,
        session_id=session_id or None,
        outcome=outcome or None,
    )


async def audit_lines(store: Store, after: int = 0) -> AsyncGenerator[bytes, None]:
    """The entries of the audit as JSON, a line for each, in pages."""
    async for page in store.audit.links(after):
        yield b"".join(msgspec.json.encode(link.columns()) + b"\n" for link in page)


async def _rules(request: Request) -> AccessView:
    access = runtime_of(request).access
    access.forget()
    found = await access.rules()
    return AccessView(rules=_shown(found, settings_of(request).access), open_models=access.open_models())


def _shown(found: Mapping[str, AccessRule], fixed: Mapping[str, AccessRule]) -> Sequence[RuleView]:
    return [RuleView(subject=subject, rule=rule, fixed=subject in fixed) for subject, rule in sorted(found.items())]


def _check_free(request: Request, subject: str) -> None:
    if subject in settings_of(request).access:
        raise UsageError(f"The rule for {subject!r} is defined in the settings file: change it there.")
