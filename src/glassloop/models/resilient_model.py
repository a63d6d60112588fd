"""A model that does not give up at once: tries again with growing waits, then asks another model.

It wraps any `Model` and is one. What is worth another try is said by the error's type; nothing is decided here about
what a reply means. Waiting and chance are given from outside, so that tests need neither.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from typing import Any, Protocol

from glassloop.core.errors import ModelError, ModelRejected, ModelUnavailable, ModelUnusable
from glassloop.core.messages import Chunk, ModelRequest, Retrying
from glassloop.core.ports import Model
from glassloop.models.model_wrapper import ModelWrapper
from glassloop.models.provider_kit.attachments import is_shown_all
from glassloop.models.provider_kit.failures import MAX_WAIT_S

_JITTER = 0.25


class RandomSource(Protocol):
    """Anything with `random()`, such as `random.Random`."""

    def random(self) -> float: ...


_chance = random.Random()


class ResilientModel(ModelWrapper):
    """`primary` with `retries` more tries, then `fallback` with as many of its own.

    `concurrency` is held while a call runs, never while it waits. Name and abilities are those of `primary`.
    """

    def __init__(
        self,
        primary: Model,
        fallback: Model | None = None,
        *,
        retries: int = 3,
        backoff_s: Sequence[float] = (1.0, 2.0, 4.0),
        concurrency: asyncio.Semaphore | None = None,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        rng: RandomSource = _chance,
    ) -> None:
        super().__init__(primary)
        self._fallback = fallback
        self._retries = max(retries, 0)
        self._backoff_s = tuple(backoff_s) or (0.0,)
        self._gate: AbstractAsyncContextManager[Any] = concurrency or nullcontext()
        self._sleep = sleep
        self._rng = rng

    @property
    def names(self) -> Sequence[str]:
        """The models that may answer."""
        return tuple(model.name for model in (self._model, self._fallback) if model is not None)

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        """The dearer of the two, as either may answer; of a fallback without a price nothing is known."""
        first = super().quote(input_tokens, output_tokens)
        second = self._fallback.quote(input_tokens, output_tokens) if self._fallback is not None else None
        return first if first is None or second is None else max(first, second)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        models = (self._model,) if self._fallback is None else (self._model, self._fallback)
        failures: list[ModelError] = []
        failure: ModelError | None = None
        attempt = 0
        for model in models:
            if failures:
                if not is_shown_all(request, model.abilities):
                    failures.append(ModelRejected(f"{model.name} is not asked: it does not see what was given."))
                    break
                yield Retrying(attempt=attempt + 1, wait_s=0.0, reason=str(failures[-1]), model=model.name)
            for retry in range(self._retries + 1):
                attempt += 1
                try:
                    async with self._gate, aclosing(model.stream(request)) as chunks:
                        async for chunk in chunks:
                            yield chunk
                        return
                except ModelUnavailable as error:
                    failure = error
                    if retry < self._retries:
                        wait = self._wait(retry, error.retry_after)
                        yield Retrying(attempt=attempt + 1, wait_s=wait, reason=str(error), model=model.name)
                        await self._sleep(wait)
                except ModelUnusable as error:
                    failure = error
                    break
            if failure is not None:
                failures.append(failure)
        raise _exhausted(failures)

    async def aclose(self) -> None:
        """Closes both models."""
        for model in (self._model, self._fallback):
            close = getattr(model, "aclose", None)
            if close is not None:
                await close()

    def _wait(self, retry: int, asked: float | None) -> float:
        """The backoff with some jitter on top, and never less than the provider asked for."""
        backoff = self._backoff_s[min(retry, len(self._backoff_s) - 1)] * (1 + _JITTER * self._rng.random())
        return max(backoff, min(asked or 0.0, MAX_WAIT_S))


def _exhausted(failures: Sequence[ModelError]) -> ModelError:
    """One error for all that was tried; passing if any of it was."""
    passing = [failure for failure in failures if isinstance(failure, ModelUnavailable)]
    if len(failures) == 1:
        return failures[0]
    said = " The fallback: ".join(str(failure) for failure in failures)
    return ModelUnavailable(said, retry_after=passing[-1].retry_after) if passing else ModelRejected(said)
