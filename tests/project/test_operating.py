"""The image, the compose file and docs/operating.md name commands, settings, paths and metrics that there are."""

import fnmatch
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import Counter, Histogram

from glassloop.runtime.settings import all_settings, load_settings
from glassloop.server.observability.metrics import Metrics
from glassloop.server.routes import ROUTERS
from project.shell import must_parse

CONNECTIONS = 18
"""Of one process, with the knowledge base."""

NOT_OURS = {"POSTGRES_PASSWORD", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER"}


def known_variables() -> set[str]:
    return {name for setting in all_settings().values() for name in setting.variables}


@pytest.fixture(scope="module")
def root() -> Path:
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def dockerfile(root: Path) -> str:
    return (root / "Dockerfile").read_text("utf-8").replace("\\\n", " ")


@pytest.fixture(scope="module")
def compose(root: Path) -> Any:
    return yaml.safe_load((root / "compose.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "operating.md").read_text("utf-8")


def paths() -> set[str]:
    return {route.path for router in ROUTERS for route in router.routes}  # type: ignore[attr-defined]


def test_the_image_starts_a_command_that_there_is(dockerfile: str) -> None:
    entry = json.loads(re.search(r"^ENTRYPOINT (.+)$", dockerfile, re.M)[1])  # type: ignore[index]
    command = json.loads(re.search(r"^CMD (\[.+)$", dockerfile, re.M)[1])  # type: ignore[index]
    assert entry == ["glassloop"]
    must_parse(command)


def test_the_image_runs_as_nobody_in_particular_and_holds_no_secret(dockerfile: str) -> None:
    last = dockerfile.split("FROM ")[-1]
    assert re.search(r"^USER [1-9]\d+$", last, re.M)
    for name in re.findall(r"([A-Z_]+)=", last):
        assert not name.endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")), name
    named = set(re.findall(r"\b(GLASSLOOP_[A-Z_]+)=", last))
    assert named <= known_variables()


def test_the_image_is_asked_how_it_is_at_a_path_that_there_is(dockerfile: str) -> None:
    check = json.loads(re.search(r"^HEALTHCHECK .*CMD (\[.+)$", dockerfile, re.M)[1])  # type: ignore[index]
    (asked,) = re.findall(r"'GET', '(/\w+)'", check[-1])
    assert asked in paths()
    assert "8000" in check[-1]


def test_what_the_image_installs_is_what_the_lock_names(dockerfile: str) -> None:
    installs = re.findall(r"(?:uv )?pip install[^&\n]*", dockerfile)
    assert len(installs) == 3
    for install in installs:
        assert re.search(r"uv==\d|--(build-)?constraint requirements\.lock", install), install


def test_everything_the_image_is_built_from_is_there_and_nothing_else_is_sent(root: Path, dockerfile: str) -> None:
    rules = [line for line in (root / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert rules[0] == "*"
    kept = [rule.removeprefix("!") for rule in rules if rule.startswith("!")]
    for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, re.M):
        for source in line.split()[:-1]:
            assert (root / source).exists(), source
            assert any(fnmatch.fnmatch(source, rule) or source.startswith(f"{rule}/") for rule in kept), source
    assert not any(fnmatch.fnmatch(name, rule) for rule in kept for name in (".env", ".git", "glassloop.db"))


def test_each_service_runs_a_command_that_there_is_with_settings_that_there_are(compose: Any) -> None:
    for name in ("server", "worker"):
        service = compose["services"][name]
        must_parse(service["command"])
        assert set(service["environment"]) <= known_variables()
        assert service["user"] if "user" in service else service["cap_drop"] == ["ALL"]


def test_compose_has_no_password_of_its_own(compose: Any) -> None:
    for service in compose["services"].values():
        for name, value in service["environment"].items():
            if re.search(r"KEY|TOKEN|SECRET|PASSWORD|DATABASE_URL", name):
                assert re.search(r"\$\{[A-Z_]+:[?-]", str(value)), name
    assert ":?" in compose["services"]["postgres"]["environment"]["POSTGRES_PASSWORD"]


def test_a_setting_that_compose_leaves_empty_counts_as_not_set(compose: Any, tmp_path: Path) -> None:
    given = dict.fromkeys(compose["services"]["server"]["environment"], "")
    loaded = load_settings({**given, "GLASSLOOP_HOME": str(tmp_path)}, tmp_path)
    assert loaded.database_url is None
    assert loaded.admin_token is None
    assert loaded.retention_days is None


def test_every_way_to_let_people_in_that_can_be_chosen_can_also_be_set_up(compose: Any) -> None:
    given = set(compose["services"]["server"]["environment"])
    assert {"GLASSLOOP_AUTH", "GLASSLOOP_PROXY_SECRET", "GLASSLOOP_TRUSTED_PROXIES"} <= given


def test_the_database_has_room_for_as_many_processes_as_the_page_starts(compose: Any, page: str) -> None:
    room = int(re.search(r"max_connections=(\d+)", " ".join(compose["services"]["postgres"]["command"]))[1])  # type: ignore[index]
    started = sum(map(int, re.findall(r"--scale \w+=(\d+)", page)))
    assert started >= 6
    assert room >= CONNECTIONS * max(started, 16)


def test_servers_can_be_scaled_without_sharing_a_port(compose: Any) -> None:
    (port,) = compose["services"]["server"]["ports"]
    assert re.fullmatch(r"127\.0\.0\.1:(\d+)-(\d+):8000", port)
    assert compose["services"]["server"]["deploy"]["replicas"] > 1
    assert compose["services"]["worker"]["deploy"]["replicas"] > 1


def test_every_metric_there_is_has_its_row_and_every_row_its_metric(page: str) -> None:
    metrics = Metrics()
    metrics.waiting = 0
    metrics.gauges["glassloop_turns_running"] = ("", lambda: 0.0)
    rows = dict(re.findall(r"^\| `(glassloop_\w+)` \|([^|]*)\|", page, re.M))
    made: dict[str, object] = {family.name: family for family in metrics.collect()}
    for measure in vars(metrics).values():
        if isinstance(measure, Counter | Histogram):
            (family,) = measure.describe()
            made[f"{family.name}_total" if family.type == "counter" else family.name] = measure
    assert set(rows) == set(made)
    for name, family in made.items():
        labels = set(getattr(family, "_labelnames", ()))
        assert set(re.findall(r"`(\w+)`", rows[name])) == labels, name


def test_the_page_names_only_settings_paths_and_commands_that_there_are(page: str) -> None:
    named = set(re.findall(r"\b(?:GLASSLOOP|OTEL|POSTGRES)_[A-Z_]+\b", page))
    assert named - NOT_OURS <= known_variables()
    for path in re.findall(r"`(?:GET |DELETE )?(/[a-z][a-z/]*)`", page):
        assert path in paths(), path
    for command in re.findall(r"glassloop ((?:serve|worker|db|users|keys|sessions)\b[^`\n]*)", page):
        must_parse(shlex.split(command.replace("PATH", "x").replace("NAME", "x")))


def test_the_line_of_the_log_that_is_shown_has_the_fields_of_the_contract(page: str) -> None:
    line = json.loads(re.search(r"```json\n(.+?)\n```", page, re.S)[1])  # type: ignore[index]
    assert list(line) == ["timestamp", "level", "session_id", "component", "message", "data"]
