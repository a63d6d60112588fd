"""States of prefixes on disk: found, checked, bounded."""

import hashlib
import os
from pathlib import Path

import pytest

from glassloop.extensions.embedded.prefix_cache import MAX_FILES, PrefixCache, fingerprint
from models.embedded.conftest import MakeModel
from models.embedded.test_model import reply


def kept(states: PrefixCache, folder: Path, key: str, content: bytes) -> None:
    part = states.part(1)
    (folder / part).write_bytes(content)
    states.keep(part, key)


def test_a_state_is_found_by_its_key_and_only_by_it(tmp_path: Path) -> None:
    states = PrefixCache(tmp_path)
    kept(states, tmp_path, "aa", b"state of a")
    found = states.find("aa")
    assert found is not None
    assert (tmp_path / found).read_bytes() == b"state of a"
    assert states.find("bb") is None


def test_a_state_with_a_flipped_byte_is_deleted_and_was_never_there(tmp_path: Path) -> None:
    states = PrefixCache(tmp_path)
    kept(states, tmp_path, "aa", b"state of a")
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"statf of a")
    assert states.find("aa") is None
    assert list(tmp_path.iterdir()) == []


def test_a_truncated_state_is_not_used(tmp_path: Path) -> None:
    states = PrefixCache(tmp_path)
    kept(states, tmp_path, "aa", b"state of a" * 1000)
    (file,) = tmp_path.iterdir()
    os.truncate(file, 500)
    assert states.find("aa") is None


def test_only_the_states_used_last_stay(tmp_path: Path) -> None:
    states = PrefixCache(tmp_path)
    for number in range(MAX_FILES + 3):
        kept(states, tmp_path, f"key{number}", b"x%d" % number)
        for name in tmp_path.glob(f"key{number}-*"):
            os.utime(name, (number, number))
    kept(states, tmp_path, "last", b"y")
    assert len(list(tmp_path.iterdir())) == MAX_FILES
    assert states.find("key0") is None
    assert states.find("last") is not None


def test_what_a_dead_process_left_half_written_is_removed_and_a_living_one_s_is_not(tmp_path: Path) -> None:
    states = PrefixCache(tmp_path / "states")
    states.prepare()
    living, dead = tmp_path / "states" / states.part(7), tmp_path / "states" / "999999999-1.part"
    living.write_bytes(b"")
    dead.write_bytes(b"")
    states.prepare()
    assert living.exists()
    assert not dead.exists()
    assert (tmp_path / "states").stat().st_mode & 0o077 == 0


def test_other_weights_have_another_fingerprint_even_of_the_same_size(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"a" * 5000 + b"b")
    other.write_bytes(b"a" * 5000 + b"c")
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(one)


@pytest.mark.slow
async def test_a_damaged_state_is_ignored_and_replaced(make: MakeModel, tmp_path: Path) -> None:
    model = make()
    await reply(model, "What is it?")
    await model.aclose()
    (file,) = (tmp_path / "states").glob("*.state")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    again = (await reply(model, "What is it?")).usage
    assert again.cached_tokens == 0
    (replaced,) = (tmp_path / "states").glob("*.state")
    assert replaced.read_bytes() != bytes(content)


@pytest.mark.slow
async def test_a_state_that_only_looks_whole_is_refused_by_the_child_and_replaced(
    make: MakeModel, tmp_path: Path
) -> None:
    model = make()
    said = await reply(model, "What is it?")
    await model.aclose()
    (file,) = (tmp_path / "states").glob("*.state")
    junk = b"no state at all" * 100
    key = file.name.partition("-")[0]
    file.unlink()
    (tmp_path / "states" / f"{key}-{hashlib.sha256(junk).hexdigest()[:32]}.state").write_bytes(junk)
    assert (await reply(model, "What is it?")).message == said.message
