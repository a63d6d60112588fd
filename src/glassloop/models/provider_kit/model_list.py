"""Lists of models as providers give them over HTTP: one bounded GET a page, and failures that say what to do.

Nothing of an answer is quoted in a failure: an address that somebody entered may lead anywhere.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from glassloop.core.errors import ModelError, ModelUnavailable, ModelUnusable
from glassloop.models.provider_kit.effort import Effort
from glassloop.models.provider_kit.failures import shown
from glassloop.models.provider_kit.http_client import HttpTimeouts, open_client

MAX_MODELS = 2_000
"""Of one provider; more are left out."""
MAX_PAGES = 10
MAX_NAME_CHARS = 200
LIST_S = 15.0
_PATIENCE = HttpTimeouts(connect_s=5.0, read_s=10.0)


class ListedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model as its provider lists it. `id` is what follows `provider:` in its name; `efforts` is empty for one that
    does not reason, or whose reasoning cannot be steered."""

    id: str
    title: str = ""
    context_tokens: int | None = None
    efforts: tuple[Effort, ...] = ()


class ListPage(msgspec.Struct, frozen=True, kw_only=True):
    """What one answer holds, and the parameters that ask for the next one; None after the last."""

    entries: Sequence[Mapping[str, Any]]
    more: Mapping[str, str] | None = None


async def fetch_models(
    address: str,
    headers: Mapping[str, str],
    read: Callable[[Mapping[str, Any]], ListPage],
    model_of: Callable[[Mapping[str, Any]], ListedModel | None],
    params: Mapping[str, str] | None = None,
) -> Sequence[ListedModel]:
    """Every model that the list at `address` has and `model_of` takes, in its order. Raises `ModelError`."""
    found: dict[str, ListedModel] = {}
    asked: Mapping[str, str] | None = params or {}
    try:
        async with asyncio.timeout(LIST_S), open_client(_PATIENCE) as client:
            for _ in range(MAX_PAGES):
                response = await client.get(address, headers=dict(headers), params=dict(asked), follow_redirects=False)
                if response.status_code != 200:
                    raise _refusal(response.status_code, address)
                page = read(_mapping(response.content))
                for entry in page.entries:
                    model = model_of(entry)
                    if model is not None and _is_name(model.id):
                        found.setdefault(model.id, model)
                if page.more is None or len(found) >= MAX_MODELS:
                    break
                asked = page.more
    except ModelError:
        raise
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError, RecursionError):
        raise ModelUnusable(
            f"What {shown(address)} answers is no list of models: check the address; those of OpenAI-compatible "
            "servers mostly end in /v1."
        ) from None
    except Exception as error:
        raise ModelUnavailable(
            f"{shown(address)} cannot be reached ({type(error).__name__}): check the address, and whether the server "
            "runs."
        ) from None
    return list(found.values())[:MAX_MODELS]


def entries_of(told: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    """The objects of a list in an answer; raises `TypeError` where there is no list."""
    given = told[name]
    if not isinstance(given, list):
        raise TypeError(name)
    every = cast("list[object]", given)
    return [cast("Mapping[str, Any]", each) for each in every if isinstance(each, dict)]


def text_of(entry: Mapping[str, Any], *names: str) -> str:
    """The first of these that is a text, on one line and not too long; empty where none is."""
    found = next((value for name in names if isinstance(value := entry.get(name), str) and value.strip()), "")
    return " ".join(found.split())[:MAX_NAME_CHARS]


def _mapping(body: bytes) -> Mapping[str, Any]:
    told = msgspec.json.decode(body)
    if not isinstance(told, dict):
        raise TypeError("no object")
    return cast("Mapping[str, Any]", told)


def _is_name(text: str) -> bool:
    return bool(text) and len(text) <= MAX_NAME_CHARS and text.isprintable() and " " not in text


def _refusal(status: int, address: str) -> ModelError:
    where = shown(address)
    if status in (400, 401, 403):
        return ModelUnusable(f"The key was refused by {where} (HTTP {status}): check it, and what it may use.")
    if status in (404, 405) or 300 <= status < 400:
        return ModelUnusable(
            f"There is no list of models at {where} (HTTP {status}): check the address; those of OpenAI-compatible "
            "servers mostly end in /v1."
        )
    return ModelUnavailable(f"{where} does not answer now (HTTP {status}): try again in a while.")
