"""Servers of the sample company, what monitoring says of them, and their logs of the last three months."""

from itertools import count

import msgspec

from glassloop.extensions.business.company.frame import Dice, Frame
from glassloop.extensions.business.company.words import WORDS

ALERTS, LINES = 700, 4500
LOG_DAYS = 90


class _Server(msgspec.Struct):
    id: str
    service: str


def make_machines(frame: Frame) -> None:
    dice, logs = frame.dice("machines"), count(1)
    servers = _make_servers(frame, dice)
    alerts, lines = ALERTS * frame.scale, LINES * frame.scale
    for number in range(1, alerts + 1):
        # Busier of late, and in the order of time.
        share = 1 - (1 - (number - dice.random()) / alerts) ** 1.6
        _write_alert(frame, dice, number, int((frame.last - 1) * share), dice.pick(servers), logs)
    first = max(0, frame.last - LOG_DAYS)
    for number in range(lines):
        server = dice.pick(servers)
        level = dice.weighted({"debug": 2.0, "info": 6.0, "warning": 1.5, "error": 0.6})
        moment = f"{frame.iso(first + (frame.last - first) * number // lines)} {_clock(dice)}"
        message = dice.pick(WORDS.log_lines[level]).format(n=dice.between(1, 9000))
        frame.add("logs", (f"LG-{next(logs):07d}", server.id, server.service, level, moment, message))
    web = next(server for server in servers if server.service == "nginx")
    moment = f"{frame.iso(frame.last - 1)} 03:14"
    message = f'GET /contact?message="{WORDS.hostile}" 404'
    frame.add("logs", (f"LG-{next(logs):07d}", web.id, web.service, "warning", moment, message))


def _make_servers(frame: Frame, dice: Dice) -> list[_Server]:
    servers: list[_Server] = []
    for role, service in WORDS.services.items():
        for number in range(1, 3 * frame.larger + 1):
            server = _Server(f"SRV-{len(servers) + 1:03d}", service)
            servers.append(server)
            status = dice.weighted({"up": 12.0, "degraded": 2.0, "down": 1.2, "maintenance": 1.2})
            busy = {"up": (8, 70), "degraded": (80, 99), "down": (0, 0), "maintenance": (0, 5)}[status]
            environment = ("production", "production", "staging", "test")[min(3, (number - 1) % 4)]
            row = (server.id, f"{role}-{number:02d}", role, environment, dice.pick(("Dongguan", "Monterrey", "Cloud")),
                   status, dice.between(*busy), 0 if status == "down" else dice.between(25, 97), dice.between(20, 96),
                   0 if status == "down" else dice.between(1, 400),
                   f"{frame.iso(frame.last)} 07:{dice.between(10, 59)}")  # fmt: skip
            frame.add("servers", row)
    return servers


def _write_alert(frame: Frame, dice: Dice, number: int, day: int, server: _Server, logs: "count[int]") -> None:
    """An alert; those of the last months have left lines in the log."""
    severity = dice.weighted({"critical": 1.0, "warning": 4.0, "info": 2.0})
    clock = _clock(dice)
    took = dice.between(4, 900)
    end = day + took // 1440 + (1 if int(clock[:2]) * 60 + int(clock[3:]) + took % 1440 >= 1440 else 0)
    minute = (int(clock[:2]) * 60 + int(clock[3:]) + took) % 1440
    status = "resolved"
    if frame.last - day < 20 and dice.chance(0.5):
        status = dice.pick(("open", "open", "acknowledged"))
    resolved = f"{frame.iso(end)} {minute // 60:02d}:{minute % 60:02d}" if status == "resolved" else None
    title = dice.pick(WORDS.alert_titles[severity])
    row = (f"AL-{number:05d}", server.id, severity, status, title, f"{frame.iso(day)} {clock}", resolved,
           took if resolved else 0)  # fmt: skip
    frame.add("alerts", row)
    if frame.last - day < LOG_DAYS and severity != "info":
        level = "error" if severity == "critical" else "warning"
        message = f"alert raised: {title.lower()}"
        frame.add(
            "logs", (f"LG-{next(logs):07d}", server.id, server.service, level, f"{frame.iso(day)} {clock}", message)
        )


def _clock(dice: Dice) -> str:
    return f"{dice.between(0, 23):02d}:{dice.between(0, 59):02d}"
