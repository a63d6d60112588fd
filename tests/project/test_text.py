"""`scripts/check_text.py` finds what must not be committed, in what git tracks and in what it would take up.

Bad text is put together at run time, so that this file itself passes the check.
"""

import subprocess
from pathlib import Path

import pytest

KEY = "sk-" + "proj-9f8K2mQ7vX4bT1cZ"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=120)
    (tmp_path / ".gitignore").write_text("ignored/\n")
    return tmp_path


def check(run_script, folder: Path) -> tuple[int, str]:
    result = run_script("scripts/check_text.py", folder)
    return result.returncode, result.stdout


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.py", 'HOME = "' + "/ro" + 'ot/x"', "a path of one machine"),
        ("docs/a.md", "see " + "/wo" + "rk/main/README.md", "a path of one machine"),
        ("a.toml", "path = " + "/ho" + "me/ada/project", "a path of one machine"),
        ("a.py", "<" * 7 + " HEAD", "a merge marker"),
        ("a.py", ">" * 7 + " branch", "a merge marker"),
        ("src/a.py", f"KEY = '{KEY}'", "what looks like a secret, sk-proj"),
        ("tests/test_a.py", f"KEY = '{KEY}'", "what looks like a secret, sk-proj"),
        ("src/a.py", "KEY = 'sk-" + "test-1234567890abcdef'", "what looks like a secret, sk-test"),
        ("a.env", "GOOGLE_API_KEY=AIza" + "SyD3f5G7h9J1k3L5m7N9p1Q3r5S7t9V1x", "what looks like a secret"),
        ("a.pem", "-----BEGIN RSA " + "PRIVATE KEY-----", "what looks like a secret"),
        ("requirements.lock", "--index-url somewhere", "a download host in a lock file"),
        ("requirements.lock", "--find-links wheels", "a download host in a lock file"),
        ("requirements.lock", "x @ https://host.invalid/x.whl", "a download host in a lock file"),
        ("web/package-lock.json", '  "resolved": "https://host.invalid/x.tgz",', "a download host in a lock file"),
    ],
)
def test_each_kind_of_unwanted_text_is_named_with_its_place(
    run_script, repository: Path, name: str, text: str, complaint: str
) -> None:
    write(repository, name, f"first line\n{text}\n")
    code, output = check(run_script, repository)
    assert code == 1
    assert output.startswith(f"{name}:2 {complaint}")
    assert len(output.splitlines()) == 1


def test_a_secret_is_not_printed_whole(run_script, repository: Path) -> None:
    write(repository, "a.py", KEY)
    assert KEY not in check(run_script, repository)[1]


def test_a_file_over_five_megabytes_is_named(run_script, repository: Path) -> None:
    (repository / "model.bin").write_bytes(b"\0" * 5_000_001)
    code, output = check(run_script, repository)
    assert code == 1
    assert "model.bin:1 5,000,001 bytes" in output


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "framework/work/x and src/root/x and ../work/x and $HOME/work/x"),
        ("tests/test_a.py", "KEY = 'sk-" + "test-1234567890abcdef'"),
        ("src/redact.py", r"re.compile(r'sk-[\w-]{16,}|AIza[\w-]{30,}')"),
        ("a.md", "Title\n=======\n"),
        ("web/package-lock.json", '{"funding": {"url": "https://host.invalid"}}'),
        ("ignored/a.py", "/ro" + "ot/x"),
        ("a.bin", "\0/ro" + "ot/x"),
    ],
)
def test_text_that_only_resembles_it_passes(run_script, repository: Path, name: str, text: str) -> None:
    write(repository, name, text)
    assert check(run_script, repository)[0] == 0


def test_a_tracked_file_is_read_though_it_is_ignored(run_script, repository: Path) -> None:
    write(repository, "ignored/a.py", "/ro" + "ot/x")
    subprocess.run(["git", "-C", str(repository), "add", "-f", "ignored/a.py"], check=True, timeout=120)
    assert check(run_script, repository)[0] == 1


def test_a_folder_without_git_is_read_all_the_same(run_script, tmp_path: Path) -> None:
    write(tmp_path, "src/a.py", "/ro" + "ot/x")
    assert check(run_script, tmp_path)[0] == 1


def test_a_folder_that_does_not_exist_is_an_error_and_not_a_pass(run_script, tmp_path: Path) -> None:
    assert run_script("scripts/check_text.py", tmp_path / "gone").returncode == 2
