"""Make the quick encoder from the weights, and check it: `python -m` this module with `RECIPE IN OUT`.

A process of its own: it takes seconds of pure computing and half a gigabyte, which a server should neither wait for nor
keep. Prints how close it came to the same graph in floats; ends with 1 and a sentence where that is not close enough.
"""

import shutil
import sys
from pathlib import Path

import msgspec
import numpy as np

from glassloop.extensions.embedded.embedder.graph import Bert, read_tensors, write_graph
from glassloop.extensions.embedded.embedder.local import EncoderSession
from glassloop.extensions.embedded.weights.catalog import Recipe

MIN_COSINE = 0.99
SAMPLES = (
    "What is 18% of 2,450?",
    "The invoice was paid on the third of March, two days before it was due.",
    "def parse(line: str) -> dict[str, int]: return json.loads(line)",
    "weather",
    "Three ships left the harbour in the morning; by the evening only one had been heard of again, and nobody on the "
    "quay could say which of the captains had been warned of the storm and which had not.",
)


def make(recipe: Recipe, source: Path, target: Path) -> float:
    """Writes `model.onnx` and `tokenizer.json` into the folder `target`; the least cosine with the exact encoder."""
    bert = Bert(read_tensors(source / "model.safetensors"), recipe.heads)
    (target / "model.onnx").write_bytes(write_graph(bert))
    shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
    quick = EncoderSession(target, recipe.tokens, threads=1)
    exact = EncoderSession(target, recipe.tokens, threads=1, model=write_graph(bert, exact=True))
    return float(np.sum(quick.run(SAMPLES) * exact.run(SAMPLES), axis=1).min())


def main() -> int:
    recipe = msgspec.json.decode(sys.argv[1], type=Recipe)
    closeness = make(recipe, Path(sys.argv[2]), Path(sys.argv[3]))
    if not closeness >= MIN_COSINE:
        print(f"the cosine with the exact encoder is {closeness:.4f}, and must be {MIN_COSINE}", file=sys.stderr)
        return 1
    print(closeness)
    return 0


if __name__ == "__main__":
    sys.exit(main())
