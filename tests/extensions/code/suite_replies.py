"""Replies of a model that answers every question of the suite `code` rightly: calls first, then the answer."""

from collections.abc import Mapping, Sequence

from model_server import Reply

PATCH = """\
*** Begin Patch
*** Update File: greenhouse/calendar_rules.py
@@
-    return hour > NIGHT_BEGINS or hour < NIGHT_ENDS
+    return not NIGHT_ENDS <= hour < NIGHT_BEGINS
*** End Patch
"""


def grep(pattern: str, **more: str) -> Reply:
    return {"grep_files": {"pattern": pattern, **more}}


def read(path: str) -> Reply:
    return {"read_file": {"path": path}}


def renamed(path: str, *lines: str) -> list[dict[str, str]]:
    return [{"path": path, "old": old, "new": old.replace("DRY_BELOW", "DRY_LIMIT")} for old in lines]


RENAME: Reply = {
    "multi_edit": {
        "edits": [
            *renamed("greenhouse/moisture.py", "DRY_BELOW = 35", "bed.moisture < DRY_BELOW"),
            *renamed(
                "greenhouse/valves.py",
                "import DRY_BELOW, Bed, clamp",
                "percent below `DRY_BELOW`.",
                "clamp(DRY_BELOW - bed.moisture, 0, DRY_BELOW)",
            ),
            *renamed("greenhouse/report.py", "import DRY_BELOW, Bed, is_dry", "{DRY_BELOW} %"),
        ]
    }
}

REPLIES: Mapping[str, Sequence[Reply]] = {
    "defined-litres": [{"find_symbol": {"name": "litres_for"}}, "It is defined in `greenhouse/valves.py`, line 13."],
    "calls-litres": [
        {"find_references": {"name": "litres_for"}},
        read("greenhouse/report.py"),
        read("greenhouse/valves.py"),
        "Three: `water_plan` in valves.py, and `daily_report` and `refill_note` in report.py.",
    ],
    "count-clamp": [{"find_references": {"name": "clamp"}}, grep(r"\bclamp\("), "It is called 4 times."],
    "environment-variable": [grep("environ", context_lines=1), grep("VARIABLE ="), "`GREENHOUSE_CONFIG`."],
    "open-todo": [grep("TODO"), "Yes, in greenhouse/valves.py: rain through the open roof is not subtracted yet."],
    "frost-minus-three": [read("greenhouse/valves.py"), 'It returns "amber".'],
    "silent-probe": [read("greenhouse/moisture.py"), "It raises ProbeSilent after three attempts."],
    "litres-of-a-bed": [read("greenhouse/valves.py"), read("greenhouse/moisture.py"), "6 × 15 × 0.05 = 4.5 litres."],
    "poll-seconds": [grep("poll_seconds"), "45 seconds, as settings.toml says; the default would be 30."],
    "pressure-default": [grep("pressure"), read("settings.toml"), "2.6 bar, the default: settings.toml has none."],
    "dependency": [read("pyproject.toml"), "pyserial, at least 3.5."],
    "frost-red": [read("docs/frost.md"), "The line is drained at V9, and Marta is called on extension 417."],
    "report-leaves-out": [read("greenhouse/report.py"), "The driest bed comes first. Fallow beds are left out."],
    "config-de": [
        read("greenhouse/config.py"),
        "Die Einstellungen kommen aus settings.toml; GREENHOUSE_CONFIG nennt eine andere Datei.",
    ],
    "tests-of-calendar": [
        {"glob": {"pattern": "tests/*calendar*"}},
        grep("def test_", path="tests/test_calendar_rules.py"),
        "- test_noon_is_no_night\n- test_nothing_is_watered_before_five\n- test_sunday_is_for_seedlings_only",
    ],
    "tests-of-frost": [grep("frost_level", path="tests"), "No: no test mentions frost_level."],
    "fix-average": [
        read("greenhouse/moisture.py"),
        {"edit_file": {"path": "greenhouse/moisture.py", "old": "(len(readings) + 1)", "new": "len(readings)"}},
        "It divided by one reading too many. I corrected greenhouse/moisture.py.",
    ],
    "fix-night": [
        read("docs/hours.md"),
        read("greenhouse/calendar_rules.py"),
        {"apply_patch": {"patch": PATCH}},
        "Night now begins at 21.",
    ],
    "rename-dry-below": [
        {"find_references": {"name": "DRY_BELOW"}},
        grep("DRY_BELOW"),
        RENAME,
        "Renamed in three files.",
    ],
    "poll-seconds-de": [
        read("settings.toml"),
        {"edit_file": {"path": "settings.toml", "old": "poll_seconds = 45", "new": "poll_seconds = 90"}},
        "In settings.toml steht jetzt 90.",
    ],
    "advice-only": [grep("MAX_ROWS"), "Set MAX_ROWS in greenhouse/report.py to 12."],
    "python-yield": ["A generator function: calling it gives a generator."],
    "tuple-de": ["Nein, Tupel sind unveränderlich."],
    "no-such-class": [{"find_symbol": {"name": "SolarPanel"}}, grep("SolarPanel"), "There is no such class here."],
}
