"""Bytes made from samples by random changes, the same for the same number."""

import random
from collections.abc import Sequence

MAX_BYTES = 16_000
TOKENS = (
    *(b"\x00", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\t", b"\\", b'"', b"'", b"`"),
    *(b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b"</", b"<!--", b"]]>", b"&#x0;", b"%00", b"${", b"#", b"|"),
    *(b"null", b"true", b"NaN", b"Infinity", b"-0", b"1e999", b"-1", b"0", b"99999999999999999999999", b"0x"),
    *(b"\\u0000", b"\\ud800", b"\\x", b"data:", b"event:", b"[DONE]", b"Action:", b"Answer:", b"```", b"</think>"),
    *(b"\xe2\x80\xae", b"\x1b[2J", b"\xc2\x9b", b"../", b"9999-12-31", b"0000-00-00", b"1970-13-45", b"=\n", b","),
)
NESTS = (b"[", b"{", b'{"a":', b"(", b"<a>", b"<", b"[[", b"- ", b"> ", b"a.", b"'", b'"', b"\\", b"#", b"a=[", b"*")


def mutated(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A sample with one to eight changes; now and then something nested or repeated."""
    data = bytearray(rng.choice(seeds))
    if rng.random() < 0.05:
        return (rng.choice(NESTS) * rng.choice((10, 300, 3_000)))[:MAX_BYTES]
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        until = min(len(data), at + rng.choice((1, 1, 2, 4, 16, 64, 400)))
        match rng.randrange(9):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1 if data:
                data[at % len(data)] = rng.randrange(256)
            case 2:
                del data[at:until]
            case 3:
                data[at:at] = data[at:until] * rng.choice((1, 2, 50))
            case 4:
                data[at:at] = rng.choice(TOKENS)
            case 5:
                data[at:until] = rng.choice(TOKENS)
            case 6:
                other = rng.choice(seeds)
                data[at:] = other[rng.randrange(len(other) + 1) :]
            case 7:
                del data[at:]
            case _:
                data[at:at] = rng.choice((*NESTS, *TOKENS)) * rng.choice((1, 20, 500))
    return bytes(data[:MAX_BYTES])
