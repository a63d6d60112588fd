"""`requirements.lock` fits `pyproject.toml`, so that a fresh `make test` installs what the code needs."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def locked(project: Path) -> dict[str, str]:
    lines = (project / "requirements.lock").read_text().splitlines()
    pins = (re.match(r"([a-z0-9-]+)==([^ ;]+)", line) for line in lines)
    return {pin[1]: pin[2] for pin in pins if pin}


def wanted(project: Path) -> Iterator[Requirement]:
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    yield from map(Requirement, settings["project"]["dependencies"])
    for extra in settings["project"]["optional-dependencies"].values():
        yield from map(Requirement, extra)
    yield from map(Requirement, settings["dependency-groups"]["dev"])
    yield from map(Requirement, settings["build-system"]["requires"])


def test_every_requirement_of_the_project_is_locked_at_a_version_that_fits(project: Path) -> None:
    pins = locked(project)
    for requirement in wanted(project):
        name = canonicalize_name(requirement.name)
        if name != "glassloop":
            assert name in pins, f"{requirement} is not in requirements.lock: run 'make lock'"
            assert pins[name] in requirement.specifier, f"{requirement} but {pins[name]} locked: run 'make lock'"


def test_every_locked_package_has_a_hash(project: Path) -> None:
    text = (project / "requirements.lock").read_text()
    for entry in re.split(r"\n(?=[a-z])", text)[1:]:
        assert "--hash=sha256:" in entry, entry.splitlines()[0]


def test_the_lock_says_only_how_it_is_made_anew(project: Path) -> None:
    header = (project / "requirements.lock").read_text().splitlines()[:2]
    assert header[1] == "#    make lock"
