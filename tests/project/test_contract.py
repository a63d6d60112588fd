"""Every line of docs/contract.md names a proof, and every proof there named exists."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROOF = re.compile(r"`((?:tests|bench)/[\w/]+\.py)(?:::(test_\w+))?`")


def rows():
    for number, line in enumerate((ROOT / "docs/contract.md").read_text("utf-8").splitlines(), 1):
        if line.startswith("|") and not line.startswith(("| ---", "| what |", "| number |")):
            yield number, line


def test_every_line_names_a_proof():
    assert [number for number, line in rows() if not PROOF.search(line.rpartition(" | ")[2])] == []


def test_every_proof_is_there():
    text = (ROOT / "docs/contract.md").read_text("utf-8")
    missing = [
        "::".join(part for part in (file, name) if part)
        for file, name in PROOF.findall(text)
        if not (ROOT / file).is_file() or (name and not re.search(rf"def {name}\b", (ROOT / file).read_text("utf-8")))
    ]
    assert missing == []


def test_every_property_has_its_line():
    numbers = [int(line.split("|")[1]) for _, line in rows() if line.split("|")[1].strip().isdigit()]
    assert numbers == list(range(1, 32))


def test_both_parts_of_the_contract_are_there():
    text = (ROOT / "docs/contract.md").read_text("utf-8")
    sections = re.findall(r"^## (Business: )?(.+)$", text, re.MULTILINE)
    assert [name for business, name in sections if business] == [
        "trace and decisions", "router", "tools and data", "context and sessions", "HTTP", "plugins and page",
    ]  # fmt: skip
    assert len([name for business, name in sections if not business]) >= 7
