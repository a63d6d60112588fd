"""`glassloop schedule` and `inbox`, from adding one to its result."""

from typing import Any

from cli.here import refused


def test_a_schedule_is_added_listed_run_changed_paused_and_cancelled(here: Any) -> None:
    added = here("schedule", "add", "What is 2 + 2?", "--every", "0 9 * * 1-5", "--timezone", "Europe/Paris", "--json")
    assert added.code == 0, added
    ident = added.json["id"]
    listed = here("schedule", "list")
    assert "At 09:00 on Monday through Friday (Europe/Paris), next 20" in listed.out
    assert "1 schedule\n" in listed.out
    run = here("schedule", "run", ident, GLASSLOOP_MODEL="reflex")
    assert (run.code, "4" in run.out) == (0, True), run
    assert "Your inbox is empty." in here("inbox").out
    shown = here("schedule", "show", ident, "--json").json
    assert [each["outcome"] for each in shown["runs"]] == ["started"]
    assert shown["schedule"]["is_open"] is False
    assert "Every 2 hours" in here("schedule", "change", ident, "--every", "2h").out
    assert "paused" in here("schedule", "pause", ident).out
    assert "active" in here("schedule", "resume", ident).out
    assert "has ended" in here("schedule", "cancel", ident).out
    refused(here("schedule", "cancel", ident), "already ended")
    refused(here("schedule", "add", "What?", "--every", "often"), "five cron fields")
    refused(here("schedule", "add", "What?", "--at", "tomorrow"), "not a time", "2026-12-24 18:00")
    refused(here("schedule", "change", ident), "--every")
    refused(here("schedule", "show", "nothing"), "There is no schedule 'nothing'", code=2)


def test_what_nobody_watched_is_in_the_inbox_until_it_was_seen(here: Any) -> None:
    done = here("ask", "What is 2 + 3?", "--background", GLASSLOOP_MODEL="reflex")
    assert (done.code, "glassloop inbox" in done.out) == (0, True), done
    assert here("inbox", "--json").json["count"] == 0
    assert here("resume", GLASSLOOP_MODEL="reflex").code == 0
    waiting = here("inbox", "--seen")
    assert "What is 2 + 3?" in waiting.out
    assert "1 entry" in waiting.out
    assert "Your inbox is empty." in here("inbox").out
