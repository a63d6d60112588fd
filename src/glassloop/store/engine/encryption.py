"""Encryption of what redaction takes out: the real values that an unfinished turn still needs.

Owns the key and the format of an encrypted value (the key's fingerprint, a nonce, AES-256-GCM). Where the values are
stored and when they are deleted is the turn log's. The library is imported with the first secret.
"""

import hashlib
import os
import secrets
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from glassloop.core.errors import StoreError, UsageError
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own, make_own_file
from glassloop.store.errors import WrongKey
from glassloop.whole_file import write_whole

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MIN_KEY_CHARS = 32
KEY_BYTES = 32
_FINGERPRINT_BYTES = 8
_NONCE_BYTES = 12


class Cipher:
    """Encrypts and decrypts with one key, which is loaded when first needed. Safe to use from several threads."""

    def __init__(self, load_key: Callable[[], bytes], origin: str) -> None:
        self._load_key = load_key
        self._origin = origin

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The key that an operator chose; raises `UsageError` for one that is too short to be safe."""
        if len(text) < MIN_KEY_CHARS:
            raise UsageError(
                f"The encryption key has {len(text)} characters and needs {MIN_KEY_CHARS} or more: "
                "make one with 'openssl rand -hex 32' and give it to every server and worker."
            )
        key = hashlib.sha256(b"glassloop encryption key\x00" + text.encode()).digest()
        return cls(lambda: key, "GLASSLOOP_ENCRYPTION_KEY")

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """The key in that file, which is made with the first secret, for its owner alone."""
        return cls(lambda: _read_or_make(path), str(path))

    @classmethod
    def for_this_process(cls) -> Self:
        """A random key that ends with the process: no other process can read what it encrypted."""
        key = secrets.token_bytes(KEY_BYTES)
        return cls(lambda: key, "a key of this process")

    def encrypt(self, value: bytes, place: str) -> bytes:
        """`place` names where the value belongs; it can be decrypted for no other."""
        nonce = os.urandom(_NONCE_BYTES)
        return self._fingerprint + nonce + self._aead.encrypt(nonce, value, place.encode())

    def decrypt(self, encrypted: bytes, place: str) -> bytes:
        """Raises `WrongKey` for what another key encrypted, `StoreError` for what is damaged."""
        from cryptography.exceptions import InvalidTag

        fingerprint, rest = encrypted[:_FINGERPRINT_BYTES], encrypted[_FINGERPRINT_BYTES:]
        if fingerprint != self._fingerprint:
            raise WrongKey(
                f"The secrets of {place} were encrypted with another key than {self._origin} "
                f"({fingerprint.hex()}, not {self._fingerprint.hex()}): give every server and worker the same "
                "GLASSLOOP_ENCRYPTION_KEY, or the same home folder."
            )
        try:
            return self._aead.decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], place.encode())
        except InvalidTag as error:
            raise StoreError(f"The encrypted secrets of {place} are damaged: cancel the turn and ask again.") from error

    @cached_property
    def _key(self) -> bytes:
        return self._load_key()

    @cached_property
    def _aead(self) -> "AESGCM":
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self._key)

    @cached_property
    def _fingerprint(self) -> bytes:
        return hashlib.sha256(b"glassloop key fingerprint\x00" + self._key).digest()[:_FINGERPRINT_BYTES]


def _read_or_make(path: Path) -> bytes:
    """Of several processes that make it at once, one does, and all use that one's."""
    try:
        if not path.exists():
            make_own(path.parent)
            make_own_file(lock_path := path.parent / f".{path.name}.lock")
            with lock_path.open("r+") as lock:
                take_lock(lock.fileno(), wait=True)
                if not path.exists():
                    write_whole(path, f"{secrets.token_hex(KEY_BYTES)}\n".encode())
        key = bytes.fromhex(path.read_text("ascii"))
    except OSError as error:
        raise StoreError(
            f"The encryption key {str(path)!r} cannot be used ({error.strerror}): look at its folder and permissions."
        ) from error
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise StoreError(
            f"The file {str(path)!r} holds no encryption key: restore it from a backup, or remove it to have a new one "
            "made. Unfinished turns with secrets of the old one then fail."
        )
    return key
