"""Trains an adapter and checks it on held-out requests. Needs torch, numpy and gguf; see `README.md`."""

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import Any

import torch

from training.tuning.decode import generate
from training.tuning.fit import Plan, fit
from training.tuning.gguf_file import read_adapter, write_adapter
from training.tuning.packing import load
from training.tuning.qwen import Qwen, load_weights
from training.tuning.scoring import score
from training.tuning.vocabulary import Vocabulary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="packed arrays; none: only check")
    parser.add_argument("--held-out", type=Path, help="requests to check the adapter on")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--adapter", type=Path, help="begin with this adapter")
    parser.add_argument("--name", default="glassloop-tools")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--alpha", type=float, default=32.0)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument(
        "--scales", type=float, nargs="*", default=[1.0], help="weights of the adapter to check; the best one is kept"
    )
    parser.add_argument("--tokens", type=int, default=32_768)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.0)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    given.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    weights, shape = load_weights(str(given.weights), device, 16)
    print(f"weights loaded in {time.monotonic() - began:.0f} s", flush=True)
    torch.manual_seed(given.seed)
    model = Qwen(weights, shape, given.rank, given.alpha).to(device)
    model.leave_out(given.dropout)
    if device == "cuda":
        model.compile_blocks()
    if given.adapter is not None:
        model.load_adapter(read_adapter(given.adapter)[1])
    told: dict[str, Any] = {key: str(value) for key, value in vars(given).items()}
    groups = [group for path in given.data for group in load(path)]
    if groups:
        print(f"{len(groups)} groups, {sum(map(len, groups))} tokens", flush=True)
        plan = Plan(rate=given.rate, tokens=given.tokens, seed=given.seed, seconds=given.seconds, epochs=given.epochs)
        told["training"] = fit(model, groups, plan, device)
        write_adapter(given.out / f"{given.name}.gguf", model.adapter(), name=given.name, alpha=given.alpha)
    (given.out / f"{given.name}.json").write_text(json.dumps(told, indent=1))
    if given.held_out is not None:
        vocabulary, best = Vocabulary(given.weights), (-1, 1.0)
        told["held_out"] = {}
        for scale in given.scales:
            model.rescale(given.alpha * scale)
            counts = check(model, given.held_out, vocabulary, given.out / f"{given.name}.{scale:g}.wrong.json")
            told["held_out"][f"{scale:g}"] = counts
            best = max(best, (int(counts["all"]["right"]), scale))
            for kind, count in counts.items():
                print(f"{scale:g}", kind, count, flush=True)
        told["scale"] = best[1]
        path = given.out / f"{given.name}.gguf"
        write_adapter(path, model.adapter(), name=given.name, alpha=given.alpha * best[1])
        (given.out / f"{given.name}.json").write_text(json.dumps(told, indent=1))
    print(f"all of it took {time.monotonic() - began:.0f} s", flush=True)


def check(model: Qwen, path: Path, vocabulary: Vocabulary, wrong: Path) -> dict[str, dict[str, int]]:
    """Greedy decisions for held-out requests, beside those expected; what is wrong goes to a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        cases: list[dict[str, Any]] = json.load(file)
    made = generate(model, [case["prompt"] for case in cases], vocabulary.end, batch=96)
    written = [vocabulary.decode(each) for each in made]
    failed = [
        {"kind": case["kind"], "expected": case["decision"], "written": text}
        for case, text in zip(cases, written, strict=True)
        if case["decision"] != text
    ]
    wrong.write_text(json.dumps(failed[:300], ensure_ascii=False, indent=1))
    return score(cases, written)


if __name__ == "__main__":
    main()
