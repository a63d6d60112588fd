"""Approvals: the card that shows what will happen, and those who decide about it.

The card shows everything the decision is bound to, exactly as it is. What a decision leads to is the runtime's.
"""

from collections.abc import Container, Sequence
from functools import partial
from typing import Any, cast

import msgspec
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from glassloop.cli.ui.command_view import command_view
from glassloop.cli.ui.console import write
from glassloop.cli.ui.file_diff import diff_text, file_diffs
from glassloop.cli.ui.prompt import AskLine
from glassloop.cli.ui.question import QuestionPrompt
from glassloop.cli.ui.safe_text import MAX_SHOWN_CHARS, bounded, exact, exact_json
from glassloop.core.errors import UsageError
from glassloop.core.events import ApprovalRequested, QuestionAsked
from glassloop.core.labels import why_asked
from glassloop.core.loop.approvals.grants import WHOLE
from glassloop.core.records import REDACTED, Json
from glassloop.runtime.assistants.result import Answer, Approval

_ARGUMENTS = msgspec.json.Decoder(dict[str, Any])
_CHOICE = "Approve? y(es), {session}n(o, and why), e(dit the arguments): "
_SESSION = "s (yes, and{allowed} for the rest of this session), "
_IN_DOUBT = "It is not known whether this already ran. Approve to run it again, or refuse to skip it."


class ApprovalPrompt:
    """Decides pending calls by asking, one by one."""

    def __init__(self, console: Console, ask: AskLine, *, user: str) -> None:
        self._console = console
        self._ask = ask
        self._user = user
        self._questions = QuestionPrompt(console, ask, user=user)

    def answer(self, asked: QuestionAsked) -> Answer | None:
        return self._questions.answer(asked)

    def decide(self, requests: Sequence[ApprovalRequested], grantable: Container[str] = ()) -> list[Approval]:
        return [self._decide(request, grantable=may_count_for_session(request, grantable)) for request in requests]

    def complain(self, problem: str) -> None:
        self._console.print(Text(exact(problem), "trouble"))

    def _decide(self, request: ApprovalRequested, *, grantable: bool) -> Approval:
        self._console.print(card(request))
        choice = _CHOICE.format(session=_SESSION.format(allowed=allowed_words(request)) if grantable else "")
        decision = partial(Approval, call_id=request.call.id, digest=request.digest, by=self._user)
        while True:
            try:
                answer, _, rest = self._ask(choice, "").strip().partition(" ")
            except EOFError:
                return decision(approved=False, reason="No answer was given.")
            match answer.lower():
                case "y" | "yes":
                    return decision(approved=True)
                case "s" | "session" if grantable:
                    return decision(approved=True, for_session=True)
                case "n" | "no":
                    return decision(approved=False, reason=rest.strip() or self._reason())
                case "e" | "edit":
                    if (args := self._edit(request.call.args)) is not None:
                        return decision(approved=True, args=args)
                case _:
                    self.complain(f"Please answer y, {'s, ' if grantable else ''}n or e.")

    def _reason(self) -> str:
        try:
            return self._ask("Reason (passed to the model; optional): ", "").strip()[:2_000]
        except EOFError:
            return ""

    def _edit(self, args: dict[str, Json]) -> dict[str, Json] | None:
        """The arguments as the person wants them; None when they changed their mind."""
        text = msgspec.json.encode(args).decode()
        try:
            # Only plain text can be put into the line to edit: what steers a terminal is written anew, or not at all.
            written = self._ask(
                "Arguments as JSON (leave empty to go back): ", text if exact(text) == text else ""
            ).strip()
        except EOFError:
            return None
        if not written:
            return None
        try:
            return _ARGUMENTS.decode(written)
        except (msgspec.DecodeError, UnicodeEncodeError) as error:
            self.complain(f'That is not a JSON object ({error}): write {{"argument": value}}.')
            return None


class FixedDecision:
    """The same decision on every call, shown first where there is a console: `--yes`, `--no`, or nobody to ask."""

    def __init__(
        self,
        console: Console | None,
        *,
        user: str,
        approved: bool,
        reason: str,
        note: str = "",
        for_session: bool = False,
    ) -> None:
        self._console = console
        self._note = note
        self._fields = {"approved": approved, "by": user, "reason": reason, "for_session": for_session}

    def decide(self, requests: Sequence[ApprovalRequested], grantable: Container[str] = ()) -> list[Approval]:  # noqa: ARG002
        if self._console is not None:
            for request in requests:
                write(self._console, card(request))
                write(self._console, Text(self._note, "think"))
        return [Approval(call_id=r.call.id, digest=r.digest, **self._fields) for r in requests]  # pyright: ignore[reportArgumentType]

    def answer(self, asked: QuestionAsked) -> Answer | None:  # noqa: ARG002
        """An approval says nothing of what was asked."""
        return None

    def complain(self, problem: str) -> None:
        raise UsageError(problem)


def approve_all(console: Console, *, user: str, option: str = "--yes") -> FixedDecision:
    """`--yes` or `--for-session`: approves everything, and says so."""
    for_session = option == "--for-session"
    note = f"Approved by {option}."
    return FixedDecision(console, user=user, approved=True, reason=option, note=note, for_session=for_session)


def card(request: ApprovalRequested) -> RenderableType:
    """What will happen: the tool, every argument, the preview, and what the decision is bound to; before that, why it
    may have happened already."""
    parts: list[RenderableType] = [Text(exact(request.call.tool), "act", overflow="fold")]
    if request.doubt:
        parts = [Text(f"{bounded(exact(request.doubt))}\n{_IN_DOUBT}", overflow="fold"), Text(), *parts]
    if request.why is not None and request.why.passage:
        parts += [Text(exact(why_asked(request.why)), "soft", overflow="fold")]
        parts += [Text(f"  {line}", "trouble", overflow="fold") for line in exact(request.why.passage).split("\n")]
    diffs = file_diffs(request.preview)
    whole = bool(diffs) and not any(diff.truncated for diff in diffs)
    command = command_view(request.preview)
    preview = cast("dict[str, Json]", request.preview) if command is not None else {}
    for name, value in request.call.args.items():
        if name in preview and preview[name] == value:
            continue
        shown = _in_diff(value) if whole else ""
        shown = shown or _value(value, indent="    ")
        parts.append(Text.assemble((f"  {exact(name)}: ", "soft"), shown, overflow="fold"))
    if diffs:
        parts += [part for diff in diffs for part in (Text(), diff_text(diff, MAX_SHOWN_CHARS // len(diffs)))]
    elif command is not None:
        parts += [Text(), command]
    elif request.preview is not None and not _repeats(request.preview, request.call.args):
        parts += [Text(), _preview(request.preview)]
    parts += [Text(), Text(f"Bound to exactly this: {request.digest[:16]}", "faint")]
    if REDACTED in repr((request.call.args, request.preview, request.doubt)):
        parts.append(Text(f"{REDACTED} hides a secret. The call runs with the real value.", "faint"))
    title = "This may have already run" if request.reason == "outcome_unknown" else "Your approval is needed"
    return Panel(Group(*parts), title=Text(title, "think"), title_align="left", border_style="think")


def may_count_for_session(request: ApprovalRequested, grantable: Container[str]) -> bool:
    """Whether an approval of the request can count for the rest of the session."""
    return request.reason == "approval" and (request.allow is not None or request.call.tool in grantable)


def allowed_words(request: ApprovalRequested) -> str:
    """What would be allowed together with the call, exactly."""
    if request.allow is None:
        return ""
    scope = exact(request.allow.scope)
    if request.allow.kind == "command":
        return f" every command that begins with `{scope}`"
    return f" {exact(request.call.tool)} {'anywhere here' if scope == WHOLE else f'below {scope}'}"


def _in_diff(value: Json) -> str:
    """A text of several lines, or a list of edits, in few words, where a diff shows all that becomes of it."""
    if isinstance(value, str) and "\n" in value:
        return f"{len(value):,} characters, as the diff shows"
    if isinstance(value, list):
        return f"{len(cast('list[Json]', value)):,} of them, as the diff shows"
    return ""


def _repeats(preview: Json, args: dict[str, Json]) -> bool:
    """Whether a preview says no more than the arguments."""
    return isinstance(preview, dict) and preview != {} and preview.items() <= args.items()


def _value(value: Json, indent: str) -> str:
    """A value whole; text over several lines starts on its own line."""
    shown = bounded(exact(value) if isinstance(value, str) and "\n" in value else exact_json(value))
    return shown if "\n" not in shown else "\n" + "\n".join(f"{indent}{line}" for line in shown.split("\n"))


def _preview(preview: Json) -> RenderableType:
    if not isinstance(preview, str):
        fields = cast("dict[str, Any]", preview) if isinstance(preview, dict) else {}
        diff = fields.get("diff")
        if isinstance(diff, str) and len(fields) == 1:
            return _preview(diff)
        return Text(bounded(exact_json(preview)), overflow="fold")
    shown = Text(overflow="fold")
    changes = _is_diff(preview)
    for line in bounded(exact(preview)).split("\n"):
        shown.append(f"{line}\n", _diff_style(line) if changes else "")
    shown.rstrip()
    return shown


def _is_diff(text: str) -> bool:
    lines = text.splitlines()
    return any(line.startswith("@@ ") for line in lines) or (
        any(line.startswith("--- ") for line in lines) and any(line.startswith("+++ ") for line in lines)
    )


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "observe", "-": "trouble", "@": "act"}.get(line[:1], "")
