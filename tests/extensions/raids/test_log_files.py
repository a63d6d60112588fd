"""Log files: packed or plain, damaged, half written, hostile."""

import gzip
import zipfile
from pathlib import Path

import pytest
from tests.extensions.raids.log_lines import HEADER, at, end, fight, frostbolt, night, read, read_file

from glassloop.core.errors import UsageError
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.log.source import ReadLimits

TEXT = ("\n".join(fight(*[frostbolt()] * 20)) + "\n").encode()


def test_the_same_log_is_the_same_report_in_whatever_it_is_packed(tmp_path: Path) -> None:
    plain, packed, archive = tmp_path / "log.txt", tmp_path / "log.txt.gz", tmp_path / "log.zip"
    plain.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("Logs/WoWCombatLog.txt", TEXT)
        file.writestr("__MACOSX/Logs/._WoWCombatLog.txt", b"\x00")
        file.writestr("readme.md", b"mine")
    reports = [read_file(path)[0] for path in (plain, packed, archive)]
    assert len({report.code for report in reports}) == 1
    assert len({(report.lines, report.taken, report.outside) for report in reports}) == 1
    assert len(reports[0].code) == 10
    assert reports[0].code.isalnum()
    plain.write_bytes(TEXT.replace(b"Frostbolt", b"Frostbite"))
    assert read_file(plain)[0].code != reports[0].code


def test_files_of_an_archive_are_one_night_in_the_order_of_their_dates(tmp_path: Path) -> None:
    archive = tmp_path / "night.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("WoWCombatLog-010126_200000.txt", TEXT.replace(b"5/24 ", b"1/1 "))
        file.writestr("WoWCombatLog-123125_200000.txt", TEXT.replace(b"5/24 ", b"12/31 "))
    report, fights = read_file(archive, year=2025)
    assert [one.fight.number for one in fights] == [1, 2]
    assert 0 < fights[1].fight.started_at - fights[0].fight.started_at <= 86_400_000
    assert report.lines == 2 * TEXT.count(b"\n")


@pytest.mark.parametrize("size", [7, 100, 4096])
def test_lines_are_whole_wherever_blocks_end(size: int, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(TEXT.replace(b"Ulf", "Çelik".encode()).replace(b"\n", b"\r\n"))
    report, (record,) = read_file(path, block_bytes=size)
    assert (report.lines, report.bad, report.outside) == (TEXT.count(b"\n"), 0, 1)
    assert any(actor.name == "Çelik" for actor in report.actors)
    assert sum(one.damage for one in record.performances) == 22 * 500


@pytest.mark.parametrize("size", range(300, 700, 40))
def test_a_fight_after_a_pause_is_found_wherever_blocks_end(size: int, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(TEXT + TEXT.replace(b"20:00", b"20:30"))
    report, fights = read_file(path, block_bytes=size)
    assert (len(fights), report.bad, report.outside) == (2, 0, 2)


def test_bytes_that_are_no_text_harm_only_their_own_line(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    lines = TEXT.split(b"\n")
    lines[5] = b"\xff\xfe\x00" * 20
    lines[6] = lines[6].replace(b"Frostbolt", b"Frost\xffbolt")
    path.write_bytes(b"\n".join(lines))
    report, _ = read_file(path)
    assert (report.bad, report.taken) == (1, len(lines) - 3)


def test_half_a_last_line_is_bad_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(TEXT[:-400])
    report, fights = read_file(path)
    assert (report.bad, len(fights)) == (1, 1)
    assert report.bad_lines[0].first[0][0] == report.lines


def test_a_line_without_end_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(TEXT + b"x" * 3_000_000 + b"\n" + TEXT)
    report, fights = read_file(path)
    assert (report.bad, len(fights), report.lines) == (1, 2, 2 * TEXT.count(b"\n") + 1)
    assert len(report.bad_lines[0].first[0][1]) == 300


@pytest.mark.parametrize("pack", ["gz", "zip"])
def test_what_grows_beyond_all_measure_is_refused(pack: str, tmp_path: Path) -> None:
    path, zeros = tmp_path / f"bomb.{pack}", b"0" * 20_000_000
    if pack == "gz":
        path.write_bytes(gzip.compress(zeros))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("log.txt", zeros)
    with pytest.raises(UsageError, match="more than a log can"):
        read_file(path, free_bytes=1_000_000)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.gz", gzip.compress(TEXT)[:-30], "cannot be decompressed"),
        ("a.zip", b"PK\x03\x04" + b"\x00" * 50, "no readable zip"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, "is no combat log"),
        ("a.txt", b"", "is no combat log"),
        ("a.txt", at(0, HEADER).encode(), "is no combat log"),
        (
            "a.txt",
            f"{at(0, HEADER)}\n{at(0, 'SPELL_DAMAGE,1,2')}\n{at(9, 'EMOTE,a')}".encode(),
            "is no combat log",
        ),
        ("a.json", b'{"fights": [', "cannot be read"),
    ],
)
def test_what_is_no_log_is_refused_with_the_remedy(name: str, data: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UsageError, match=told):
        read_log(path, found=lambda _: None)


def test_a_log_without_any_fight_is_a_log_all_the_same(tmp_path: Path) -> None:
    trash = 'Creature-0-1-532-1-16406-0000000003,"Phantom Attendant",0xa48,0x0'
    report, fights = read(tmp_path / "log.txt", night(frostbolt(target=trash)))
    assert (report.outside, fights) == (2, [])


def test_parts_in_the_wrong_order_are_told(tmp_path: Path) -> None:
    lines = [*fight(), *(line.replace("20:00", "21:00") for line in night(frostbolt(), end()))]
    assert read(tmp_path / "log.txt", lines)[0].turns_back == 0
    assert read(tmp_path / "log.txt", [*lines[-3:], *lines[:-3]])[0].turns_back == 1


def test_progress_is_told_from_the_beginning_to_the_end(tmp_path: Path) -> None:
    for name, data in (("log.txt", TEXT), ("log.gz", gzip.compress(TEXT))):
        path = tmp_path / name
        path.write_bytes(data)
        told: list[float] = []
        read_log(path, found=lambda _: None, tell=told.append, limits=ReadLimits(block_bytes=1000))
        assert told == sorted(told)
        assert told[-1] == 1.0
