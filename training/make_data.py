"""Training data from a seed: groups as JSON lines, then requests, tokens and packed arrays. See `README.md`."""

import argparse
import asyncio
import collections
import datetime
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import msgspec

from training.data.conversation import NEVER, Group
from training.data.groups import decode, make_groups
from training.data.plans import with_needs
from training.data.requests import Example, play_group
from training.data.values import Rng
from training.data.worked import worked_groups
from training.tuning.packing import Packed, Tree, pack, save
from training.tuning.vocabulary import END, START, Vocabulary

MAX_TOKENS = 3800
"""Of one request with its decision: what the model has room for."""
MAX_PACKED = 9000


class Encoder:
    """Tokens of requests; messages that occur often are encoded once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._known: dict[str, list[int]] = {}

    def text(self, text: str) -> list[int]:
        found = self._known.get(text)
        if found is None:
            if len(self._known) > 20_000:
                self._known.clear()
            found = self._known[text] = self.vocabulary.encode(text)
        return found

    def prompt(self, example: Example) -> list[int]:
        """The request as Qwen's template puts it."""
        pieces = (self.text(chat_text(each["role"], each["content"])) for each in example.messages)
        return [*chain.from_iterable(pieces), *self.text(f"{START}assistant\n")]

    def decision(self, example: Example) -> list[int]:
        return self.vocabulary.encode(example.decision + END)


def planned(group: Group, rng: Rng) -> Group:
    """A group of a public set with plans in its thoughts, as made ones have them."""
    rng.today = datetime.datetime.fromtimestamp(group.day, datetime.UTC).date()
    made = tuple(with_needs(rng, each, group.prompt, group.tools) for each in group.conversations)
    return msgspec.structs.replace(group, conversations=made)


def chat_text(role: str, content: str) -> str:
    """One message in Qwen's chat template, which llama.cpp applies to the embedded model's requests."""
    return f"{START}{role}\n{content}{END}\n"


def packed_groups(groups: Iterable[Group], encoder: Encoder, counts: collections.Counter[str]) -> Iterator[Packed]:
    with asyncio.Runner() as runner:
        for group in groups:
            tree = Tree()
            for example in runner.run(play_group(group)):
                prompt, decision = encoder.prompt(example), encoder.decision(example)
                if len(prompt) + len(decision) > MAX_TOKENS or any(
                    NEVER in each["content"] for each in example.messages
                ):
                    counts["left out"] += 1
                    continue
                tree.insert(prompt, decision)
                counts[example.kind.partition("+")[0]] += 1
                counts["requests"] += 1
                counts["sent back"] += example.kind.endswith("+back")
            made = pack(tree)
            if 0 < len(made) <= MAX_PACKED:
                counts["conversations"] += len(group.conversations)
                yield _counted(made, counts)
            else:
                counts["groups left out"] += 1


def _counted(made: Packed, counts: collections.Counter[str]) -> Packed:
    counts["tokens"] += len(made)
    counts["learned"] += int(made.learned.sum())
    counts["groups"] += 1
    return made


def packed_talks(
    assistant: str, seed: int, talks: int, home: Path, encoder: Encoder, counts: collections.Counter[str]
) -> list[Packed]:
    """Talks with an assistant of the product. Its prompts are long: a tree ends where another talk would not fit."""

    async def play() -> list[Packed]:
        from training.data.assistants.stage import play_assistant

        found, tree, size = list[Packed](), Tree(), 0
        async for examples in play_assistant(assistant, seed, talks, home):
            counts["conversations"] += 1
            for example in examples:
                prompt, decision = encoder.prompt(example), encoder.decision(example)
                if len(prompt) + len(decision) > MAX_TOKENS:
                    counts["left out"] += 1
                    continue
                tree.insert(prompt, decision)
                counts[example.kind] += 1
                counts["requests"] += 1
            size = len(pack(tree))
            if size > MAX_PACKED * 2 // 3:
                found.append(_counted(pack(tree), counts))
                tree, size = Tree(), 0
        return [*found, _counted(pack(tree), counts)] if size else found

    return asyncio.run(play())


def held_out(seed: int, count: int, encoder: Encoder, most: int) -> list[dict[str, object]]:
    """Requests over companies that are not trained on, with the decisions expected."""
    found: list[dict[str, object]] = []
    with asyncio.Runner() as runner:
        for group in make_groups(seed, count, held_out=True):
            for example in runner.run(play_group(group)):
                prompt = encoder.prompt(example)
                if len(prompt) <= 2400:
                    found.append({"prompt": prompt, "decision": example.decision, "kind": example.kind})
    step = max(len(found) // most, 1)
    return found[::step][:most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="the GGUF file, for its vocabulary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", type=int, default=500)
    parser.add_argument("--held-out", type=int, default=0, help="write so many held-out requests instead")
    parser.add_argument("--public", type=Path, help="groups of public sets, as JSON lines, instead of made ones")
    parser.add_argument(
        "--worked", type=int, default=0, help="so many rounds over the worked sets, instead of made ones"
    )
    parser.add_argument("--assistant", help="talks with an assistant of the product (business, code, places, raids)")
    parser.add_argument("--talks", type=int, default=400, help="how many of them")
    parser.add_argument("--home", type=Path, help="where their data sets are kept between runs; else in a new folder")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    encoder, began = Encoder(Vocabulary(given.weights)), time.monotonic()
    if given.held_out:
        with gzip.open(given.out, "wt", encoding="utf-8") as file:
            json.dump(held_out(given.seed, given.groups, encoder, given.held_out), file)
        return
    counts: collections.Counter[str] = collections.Counter()
    groups: Iterable[Group] = make_groups(given.seed, given.groups)
    if given.worked:
        groups = worked_groups(given.seed, given.worked)
    if given.public is not None:
        rng = Rng(given.seed)
        groups = (planned(decode(line), rng) for line in given.public.read_bytes().splitlines())
    if given.assistant:
        home = given.home or Path(tempfile.mkdtemp(prefix="talks-"))
        save(given.out, packed_talks(given.assistant, given.seed, given.talks, home, encoder, counts))
    else:
        save(given.out, packed_groups(groups, encoder, counts))
    given.out.with_suffix(".counts.json").write_text(json.dumps(dict(counts), indent=1, sort_keys=True))
    print(f"{counts['groups']} groups, {counts['tokens']} tokens, {time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
