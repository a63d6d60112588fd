"""The sandbox in force: chosen by the setting and by what works here."""

import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Literal

import msgspec

from glassloop.extensions.code.sandbox import control_groups
from glassloop.extensions.code.sandbox.bubblewrap import find_bubblewrap
from glassloop.extensions.code.sandbox.landlock import SIGNALS_ABI, find_landlock, landlock_abi
from glassloop.extensions.code.sandbox.prepared_command import (
    PreparedCommand,
    Sandbox,
    SandboxCommand,
    SandboxName,
    bounded,
    shell,
)
from glassloop.extensions.code.sandbox.visible import visible_paths
from glassloop.extensions.code.sandbox.watch import CommandWatch

SandboxSetting = Literal["auto", "bubblewrap", "landlock", "off"]


class NoSandbox:
    """Commands with all rights of this process's user; only what the limits say holds them."""

    name: SandboxName = "off"
    has_gate = False

    @contextmanager
    def prepared(self, command: SandboxCommand) -> Generator[PreparedCommand]:
        with ExitStack() as stack:
            groups = stack.enter_context(control_groups.command_group(command.limits))
            opened = os.open(command.root / command.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            stack.callback(os.close, opened)
            own = visible_paths(command.root, ()).variables
            yield PreparedCommand(
                argv=bounded(groups, command.limits, ["nice", "-n", str(command.limits.nice), *shell(command.line)]),
                cwd=str(command.root / command.folder),
                env={name: own[name] for name in ("TERM", "PAGER", "GIT_PAGER", "CI")},
                watch=CommandWatch(opened, command.limits, count_processes=os.geteuid() == 0 and not groups),
            )


class SandboxReport(msgspec.Struct, frozen=True, kw_only=True):
    """What holds commands here. `in_force` is None where they cannot be run; `notes` are sentences for the operator."""

    setting: SandboxSetting
    in_force: SandboxName | None
    why: str
    notes: tuple[str, ...] = ()


def choose(setting: SandboxSetting) -> tuple[Sandbox | None, str]:
    """The sandbox, None where there is none, and why, as sentences. Blocks."""
    if setting == "off":
        return NoSandbox(), "Commands are not held by anything: GLASSLOOP_CODE_SANDBOX is off."
    finders: dict[str, Callable[[], tuple[Sandbox | None, str]]] = {
        "bubblewrap": find_bubblewrap,
        "landlock": find_landlock,
    }
    tried: list[str] = []
    for name in finders if setting == "auto" else (setting,):
        found, why = finders[name]()
        tried.append(why)
        if found is not None:
            return found, " ".join(tried)
    return None, " ".join((*tried, "Commands cannot be run. Without any sandbox: GLASSLOOP_CODE_SANDBOX=off."))


def doctor(setting: SandboxSetting) -> SandboxReport:
    """Which sandbox is in force, and why. Blocks."""
    sandbox, why = choose(setting)
    notes: list[str] = []
    if sandbox is not None and not control_groups.available():
        counted = "they are counted twenty times a second" if os.geteuid() == 0 else "by a limit of the user"
        notes.append(
            f"No control groups can be made: memory is limited for each process by itself, and processes {counted}."
        )
    if sandbox is not None and os.geteuid() == 0:
        notes.append("Glassloop runs as the administrator: run it as another user, so that commands have fewer rights.")
    if sandbox is not None and sandbox.name == "landlock":
        notes.append(
            "With Landlock commands cannot make sockets, change modes, owners and times, or make new files at the top "
            "of a folder with a .git: install bubblewrap for these."
        )
        if landlock_abi() < SIGNALS_ABI:
            notes.append("The kernel's Landlock does not hold signals: commands cannot send any (Linux 6.12 can).")
    return SandboxReport(
        setting=setting, in_force=None if sandbox is None else sandbox.name, why=why, notes=tuple(notes)
    )
