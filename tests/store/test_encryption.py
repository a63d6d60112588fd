"""The cipher: one key for all who share a file, values bound to their place, and words for what cannot be read."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from glassloop.core.errors import StoreError, UsageError
from glassloop.store.engine.encryption import Cipher
from glassloop.store.errors import WrongKey

PLACE = "turn 't', event 1"


def test_what_one_process_encrypts_another_with_the_same_file_reads(tmp_path):
    encrypted = Cipher.from_file(tmp_path / "new" / "key").encrypt(b"secret", PLACE)
    assert b"secret" not in encrypted
    assert Cipher.from_file(tmp_path / "new" / "key").decrypt(encrypted, PLACE) == b"secret"
    assert (tmp_path / "new" / "key").stat().st_mode & 0o777 == 0o600


def test_many_who_make_the_key_at_once_use_the_same(tmp_path):
    ciphers = [Cipher.from_file(tmp_path / "key") for _ in range(16)]
    with ThreadPoolExecutor(16) as threads:
        encrypted = list(threads.map(lambda cipher: cipher.encrypt(b"secret", PLACE), ciphers))
    assert {Cipher.from_file(tmp_path / "key").decrypt(each, PLACE) for each in encrypted} == {b"secret"}


def test_the_same_value_is_never_encrypted_the_same(tmp_path):
    cipher = Cipher.from_file(tmp_path / "key")
    assert cipher.encrypt(b"secret", PLACE) != cipher.encrypt(b"secret", PLACE)


def test_a_value_moved_to_another_place_or_changed_is_refused():
    cipher = Cipher.for_this_process()
    encrypted = cipher.encrypt(b"secret", PLACE)
    with pytest.raises(StoreError, match="damaged"):
        cipher.decrypt(encrypted, "turn 'u', event 1")
    with pytest.raises(StoreError, match="damaged"):
        cipher.decrypt(encrypted[:-1] + bytes([encrypted[-1] ^ 1]), PLACE)


def test_another_key_is_told_from_damage():
    encrypted = Cipher.from_text("a" * 32).encrypt(b"secret", PLACE)
    with pytest.raises(WrongKey, match="same GLASSLOOP_ENCRYPTION_KEY"):
        Cipher.from_text("b" * 32).decrypt(encrypted, PLACE)
    assert Cipher.from_text("a" * 32).decrypt(encrypted, PLACE) == b"secret"


def test_a_short_key_is_refused():
    with pytest.raises(UsageError, match="needs 32 or more"):
        Cipher.from_text("a" * 31)


@pytest.mark.parametrize("content", ["", "no key", "ab" * 31])
def test_a_file_without_a_key_is_never_written_over(tmp_path, content):
    (tmp_path / "key").write_text(content)
    with pytest.raises(StoreError, match="holds no encryption key"):
        Cipher.from_file(tmp_path / "key").encrypt(b"secret", PLACE)
    assert (tmp_path / "key").read_text() == content
