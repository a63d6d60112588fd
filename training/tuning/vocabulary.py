"""Vocabulary of a GGUF file: text to tokens, as llama.cpp does it for Qwen2, and back."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from training.tuning.gguf_file import read_metadata

START, END = "<|im_start|>", "<|im_end|>"
_SPLIT: Final = re.compile(r"(<\|im_start\|>|<\|im_end\|>)")
_WORDS: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_NORMAL: Final = 1


@cache
def byte_names() -> dict[str, int]:
    """How a byte-level vocabulary writes its bytes: printable ones as they are, the others from U+0100 on."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return {chr(byte) if byte in plain else chr(next(others)): byte for byte in range(256)}


class Vocabulary:
    """Tokens by number. Encoding needs the package `tokenizers`, decoding nothing."""

    def __init__(self, weights: Path) -> None:
        metadata = read_metadata(weights)
        self.tokens: list[str] = metadata["tokenizer.ggml.tokens"]
        self._kinds: list[int] = metadata["tokenizer.ggml.token_type"]
        self._merges: list[str] = metadata["tokenizer.ggml.merges"]
        self.special = {
            token: number
            for number, token in enumerate(self.tokens)
            if self._kinds[number] != _NORMAL and token in (START, END)
        }
        self.end = self.special[END]
        self._tokenizer: Any = None

    def encode(self, text: str) -> list[int]:
        """Text with `<|im_start|>` and `<|im_end|>` as tokens of their own, as with llama.cpp's `parse_special`."""
        found: list[int] = []
        for part in _SPLIT.split(text):
            if part in self.special:
                found.append(self.special[part])
            elif part:
                found += self._encoder().encode(part, add_special_tokens=False).ids
        return found

    def decode(self, ids: Sequence[int]) -> str:
        names = byte_names()
        raw = bytearray()
        for number in ids:
            token = self.tokens[number]
            if self._kinds[number] == _NORMAL:
                raw += bytes(names[char] for char in token)
            else:
                raw += token.encode()
        return raw.decode("utf-8", "replace")

    def _encoder(self) -> Any:
        if self._tokenizer is None:
            from tokenizers import Regex, Tokenizer, models, pre_tokenizers

            vocabulary = {token: number for number, token in enumerate(self.tokens) if self._kinds[number] == _NORMAL}
            merges = [(left, right) for left, _, right in (merge.partition(" ") for merge in self._merges)]
            tokenizer: Any = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
            tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
                [
                    pre_tokenizers.Split(Regex(_WORDS), "isolated"),
                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
                ]
            )
            self._tokenizer = tokenizer
        return self._tokenizer
