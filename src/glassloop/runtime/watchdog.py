"""Watchdog of an event loop: ends a process whose loop works without ever coming round, so that it is started anew.

Two timers of the system count the CPU time of the loop's thread; each tick of the loop winds them up again. Waiting,
a stopped process and a busy machine cost no CPU time of ours, so none of them is taken for a loop that stands still.
The first timer has Python tell which turn it was and what it did, the second ends a process in which Python itself gets
no chance to, as in one long call of compiled code. Linux has such timers; elsewhere there is no watchdog.
"""

import asyncio
import ctypes
import faulthandler
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from glassloop.core.cpu_work import current_mark

LIMIT_S = 5.0
"""CPU time of the loop's thread without a tick."""
TICK_S = 1.0
TELL_S = 0.5
"""For the log and the store to write what they were told."""
EXIT_CODE = 75
"""Start me again: `EX_TEMPFAIL` of sysexits.h."""

_SIGEV_THREAD_ID = 4
_log = logging.getLogger(__name__)


@contextmanager
def watchdog(limit_s: float = LIMIT_S) -> Generator[None]:
    """While this is entered, in the main thread on its running event loop."""
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        yield
        return
    watched = _Watchdog(limit_s)
    try:
        yield
    finally:
        watched.close()


class _Watchdog:
    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._before = signal.signal(signal.SIGXCPU, self._tell_and_exit)
        # What it says on the way out is all that is known of a process that Python cannot end.
        if not faulthandler.is_enabled():
            faulthandler.enable()
        self._timers = (_CpuTimer(signal.SIGXCPU), _CpuTimer(signal.SIGABRT))
        self._handle: asyncio.TimerHandle | None = None
        self._tick()

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
        for timer in self._timers:
            timer.close()
        signal.signal(signal.SIGXCPU, self._before)

    def _tick(self) -> None:
        for number, timer in enumerate(self._timers, 1):
            timer.wind_up(number * self._limit_s)
        self._handle = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _tell_and_exit(self, _number: int, frame: FrameType | None) -> None:
        """Runs in the middle of whatever keeps the loop."""
        mark, task = current_mark.get(), asyncio.current_task()
        whose = mark.name if mark is not None else task.get_name() if task is not None else "nobody's"
        if mark is not None:
            mark.note_frozen()
        stack = "".join(traceback.format_stack(frame))
        _log.critical("the event loop worked for %g s without a pause on %s: the process ends, restart it\n%s",
                      self._limit_s, whose, stack)  # fmt: skip
        time.sleep(TELL_S)
        os._exit(EXIT_CODE)


class _SignalEvent(ctypes.Structure):
    """`struct sigevent`, which is 64 bytes long."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("thread", ctypes.c_int),
        ("padding", ctypes.c_byte * (64 - ctypes.sizeof(ctypes.c_void_p) - 3 * ctypes.sizeof(ctypes.c_int))),
    )


class _TimeSpec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _TimerSpec(ctypes.Structure):
    _fields_ = (("interval", _TimeSpec), ("value", _TimeSpec))


class _CpuTimer:
    """A timer on the CPU time of the current thread, which gets the signal when it has run down."""

    def __init__(self, number: signal.Signals) -> None:
        self._libc: Any = ctypes.CDLL(None, use_errno=True)
        self._timer = ctypes.c_void_p()
        event = _SignalEvent(signal=number, notify=_SIGEV_THREAD_ID, thread=threading.get_native_id())
        clock = ctypes.c_int(time.pthread_getcpuclockid(threading.get_ident()))
        self._check(self._libc.timer_create(clock, ctypes.byref(event), ctypes.byref(self._timer)))

    def wind_up(self, seconds: float) -> None:
        """Runs down after that much CPU time from now; 0 stops it."""
        whole = int(seconds)
        left = _TimeSpec(whole, int((seconds - whole) * 1e9))
        self._check(self._libc.timer_settime(self._timer, 0, ctypes.byref(_TimerSpec(value=left)), None))

    def close(self) -> None:
        self._check(self._libc.timer_delete(self._timer))

    def _check(self, failed: int) -> None:
        if failed:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
