"""An extension of somebody else's: installed into a fresh environment, all that it brings works, as the page says."""

import json
import logging
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import httpx
import msgspec
import pytest
from prometheus_client import Counter

from glassloop import Extension, UsageError, load_settings, open_runtime, setting
from glassloop.runtime.durable.jobs import JobKind
from glassloop.runtime.extensions import Extensions, RuntimeContext, installed_extensions
from glassloop.runtime.providers import Provider
from glassloop.runtime.settings import Settings, all_settings
from glassloop.server.observability.metrics import Telemetry
from project.shell import bare_environment, missing, sections, typed

PROJECT = Path(__file__).resolve().parents[2]
EXAMPLE = PROJECT / "examples" / "harbour"
SECTION = sections((PROJECT / "docs" / "extending.md").read_text("utf-8"))["An extension"]
WAIT_S = 120.0
TOKEN = "the admin token of a test, long enough"


class Place:
    """A fresh environment with the example in it, seen from an empty folder and a home of one's own."""

    def __init__(self, environment: Path, folder: Path) -> None:
        self.home, self.work = folder / "home", folder / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.variables = {**bare_environment(self.home), "ADMIN_TOKEN": TOKEN}
        self.variables["PATH"] = f"{environment / 'bin'}:{self.variables['PATH']}"

    def type(self, line: str) -> str:
        """What a command writes; it ends with 0."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.work,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by `scripts/uv` without the network: what others wrote is lent by the environment that runs the tests."""
    made = tmp_path_factory.mktemp("fresh") / "environment"

    def uv(*arguments: str | Path) -> None:
        command = [str(PROJECT / "scripts" / "uv"), *map(str, arguments), "--quiet", "--offline"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
        assert done.returncode == 0, done.stderr

    uv("venv", "--python", sys.executable, made)
    (own,) = made.glob("lib/python*/site-packages")
    (own / "lent.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n", "utf-8")
    options = ("--python", made / "bin" / "python", "--no-deps", "--no-build-isolation")
    uv("pip", "install", *options, "--editable", PROJECT)
    uv("pip", "install", *options, EXAMPLE)
    return made


@pytest.fixture
def place(environment: Path, tmp_path: Path) -> Place:
    return Place(environment, tmp_path)


@pytest.fixture
def server(place: Place) -> Iterator[httpx.Client]:
    """`glassloop serve` with the sample data, over HTTP."""
    shutil.copy(EXAMPLE / "glassloop_harbour" / "berths.csv", place.home)
    process = subprocess.Popen(
        ["bash", "-c", "exec glassloop serve --port 0"], cwd=place.work, env=place.variables, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().decode().split()[-1]
        with httpx.Client(base_url=url, timeout=WAIT_S) as client:
            yield client
    finally:
        process.terminate()
        process.communicate(timeout=WAIT_S)


def test_the_page_shows_every_line_of_the_example_as_it_is() -> None:
    shown = re.findall(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```", SECTION, re.M | re.S)
    lines: dict[str, set[str]] = {}
    for name, text in shown:
        assert text in (EXAMPLE / name).read_text("utf-8"), name
        lines.setdefault(name, set()).update(text.splitlines())
    files = [path for ending in ("py", "toml") for path in EXAMPLE.rglob(f"*.{ending}")]
    assert {str(path.relative_to(EXAMPLE)) for path in files} == set(lines)
    for path in files:
        assert set(path.read_text("utf-8").splitlines()) - {""} <= lines[str(path.relative_to(EXAMPLE))], path
    assert sum(len([line for line in path.read_text("utf-8").splitlines() if line]) for path in files) <= 250


@pytest.mark.slow
def test_everything_the_page_types_works_in_a_fresh_environment(place: Place) -> None:
    commands = typed(SECTION)
    assert len(commands) >= 8
    for line, answer in commands:
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            place.variables[name] = value
            continue
        said = place.type(line)
        assert not missing(answer, said), said
        assert answer or not said


@pytest.mark.slow
def test_its_settings_are_read_from_its_table_and_its_variables_and_are_listed(place: Place) -> None:
    (place.home / "glassloop.toml").write_text('[harbour]\nport = "Oslo"\nkeep_days = 30\n', "utf-8")
    place.variables["GLASSLOOP_HARBOUR_KEEP_DAYS"] = "60"
    listed = {each["name"]: each for each in json.loads(place.type("glassloop settings --json"))}
    port, days = listed["harbour.port"], listed["harbour.keep_days"]
    assert (port["value"], port["origin"], port["variable"]) == ("Oslo", "glassloop.toml", "HARBOUR_PORT")
    assert port["meaning"] == "The name of the port."
    assert (days["value"], days["origin"]) == (60, "environment")
    assert "Oslo hears: Ahoy" in place.type("glassloop ask -m harbour:echo Ahoy")


def test_its_routes_its_job_its_metric_and_its_eraser_work_in_a_server(place: Place, server: httpx.Client) -> None:
    question = '/tool book_berth {"berth": "C3", "ship": "Heron"}'
    taken = server.post("/api/turns", json={"question": question, "assistant": "harbour"}).json()
    with server.stream("GET", taken["events"]) as told:
        assert any("turn_paused" in line for line in told.iter_lines())
    (asked,) = server.get(f"/api/turns/{taken['turn_id']}").json()["approvals"]
    decision = {"call_id": asked["call"]["id"], "digest": asked["digest"], "approved": True}
    server.post(f"/api/turns/{taken['turn_id']}/approvals", json={"decisions": [decision]}).raise_for_status()
    assert "C3 is booked for Heron." in server.get(taken["events"]).text

    found = server.get("/api/harbour/bookings").json()
    assert (found["port"], [row["ship"] for row in found["bookings"]]) == ("Seabright", ["Heron"])
    user = found["bookings"][0]["user_id"]
    assert server.post("/api/harbour/count").status_code == 401
    job = server.post("/api/harbour/count", headers={"admin-token": TOKEN}).json()["job"]
    assert "completed" in server.get(f"/api/jobs/{job}/events").text
    assert server.get(f"/api/jobs/{job}").json()["result"] == {"booked": 1}
    assert "harbour_booked_total 1.0" in server.get("/metrics").text
    assert "/api/harbour/bookings" in server.get("/openapi.json").json()["paths"]

    assert f"C3: Heron ({user})" in place.type("glassloop bookings")
    place.type(f"glassloop sessions delete --user {user} --yes")
    assert server.get("/api/harbour/bookings").json()["bookings"] == []


@pytest.mark.slow
def test_its_importer_names_what_is_wrong_by_file_and_line_and_loads_nothing(place: Place) -> None:
    (place.work / "berths.csv").write_text("berth,metres\nA1,12\nB2,long\n", "utf-8")
    said = place.type("glassloop import berths . || test $? = 2")
    assert "berths.csv:3: metres is no number" in said
    assert not (place.home / "berths.csv").exists()


# The contract, with extensions that are handed over


def provider() -> Provider:
    return Provider(make=lambda _name, _options: pytest.fail("not asked"), configured=lambda _s: True, note="none")


class First(Extension):
    name = "first"

    def providers(self) -> Mapping[str, Provider]:
        return {"shared": provider()}


class Second(Extension):
    name = "second"

    def providers(self) -> Mapping[str, Provider]:
        return {"shared": provider()}


class SecretSettings(msgspec.Struct, frozen=True, kw_only=True):
    api_key: Annotated[str | None, setting("The key.", env="MOORING_KEY")] = None


class Mooring(Extension):
    name = "mooring"
    settings = SecretSettings

    def jobs(self, context: RuntimeContext) -> list[JobKind]:
        async def run(_job: Any, _params: Any) -> None: ...

        return [JobKind(name="tie_up", run=run)]

    def metrics(self, context: RuntimeContext) -> list[Counter]:
        return [Counter("mooring_lines", "Lines.", registry=None)]


class OtherMooring(Mooring):
    name = "other_mooring"
    settings = None


class FirstAgain(Extension):
    name = "first"


def test_two_extensions_of_one_name_are_refused_with_both_named() -> None:
    with pytest.raises(UsageError, match="Two extensions provide the extension 'first'"):
        Extensions([First(), FirstAgain()])
    with pytest.raises(UsageError, match=r"Two extensions provide the provider 'shared' \(first, second\): remove one"):
        _ = Extensions([First(), Second()]).providers
    with pytest.raises(UsageError, match="use lowercase letters"):
        Extensions([type("Odd", (Extension,), {"name": "Not so"})()])


async def test_two_kinds_of_job_or_metrics_of_one_name_are_refused_with_the_extension_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"kind of job 'tie_up' \(mooring, other_mooring\)"):
        await open_runtime(Settings(home=str(tmp_path)), extensions=[Mooring(), OtherMooring()])
    runtime = await open_runtime(Settings(home=str(tmp_path)), extensions=[Mooring()])
    telemetry = Telemetry(runtime.context.settings)
    try:
        telemetry.metrics.add("elsewhere", Counter("mooring_lines", "Lines.", registry=None))
        with pytest.raises(UsageError, match="extension 'mooring' registers a metric that already exists"):
            telemetry.attach(runtime)
    finally:
        await runtime.aclose()


async def test_a_folder_of_migrations_without_a_revision_is_refused_with_the_name_to_give(tmp_path: Path) -> None:
    class Empty(Extension):
        name = "empty"

        def migrations(self) -> Path:
            return tmp_path

    with pytest.raises(UsageError, match=r"name the first one 'empty_0001\.py'"):
        await open_runtime(Settings(home=str(tmp_path)), extensions=[Empty()])


def test_settings_of_an_extension_that_is_handed_over_are_described_read_and_kept_secret(tmp_path: Path) -> None:
    described = all_settings([Mooring()])["mooring.api_key"]
    assert described.variables == ("MOORING_KEY", "GLASSLOOP_MOORING_API_KEY")
    environ = {"GLASSLOOP_HOME": str(tmp_path), "MOORING_KEY": "rope"}
    settings = load_settings(environ, tmp_path, [Mooring()])
    assert settings.of(SecretSettings).api_key == "rope"
    assert "rope" not in repr(settings)
    with pytest.raises(UsageError, match="No extension in use has settings of the type 'SecretSettings'"):
        Settings().of(SecretSettings)


def test_an_extension_that_cannot_be_imported_is_left_out_and_the_rest_works(place: Place, environment: Path) -> None:
    (own,) = environment.glob("lib/python*/site-packages")
    info = own / "sunken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sunken\nVersion: 1.0\n", "utf-8")
    points = "[glassloop.extensions]\nsunken = sunken_nowhere:Sunken\nleaky = leaky_commands:Leaky\n"
    (info / "entry_points.txt").write_text(points, "utf-8")
    (own / "leaky_commands.py").write_text(
        "from glassloop import Extension\n"
        "class Leaky(Extension):\n    name = 'leaky'\n    def commands(self): return {'nowhere': None}\n",
        "utf-8",
    )
    try:
        said = place.type("glassloop ask -m harbour:echo Ahoy")
    finally:
        (info / "entry_points.txt").write_text("", "utf-8")
    assert "'sunken' of sunken 1.0 (sunken_nowhere:Sunken) was skipped: ModuleNotFoundError: No module" in said
    assert "commands of the extension 'leaky' were left out: there is no group 'nowhere'" in said
    assert "Seabright hears: Ahoy" in said


def test_what_is_installed_is_found_once_and_in_an_order_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "glassloop.extensions"):
        installed_extensions.cache_clear()
        names = [extension.name for extension in installed_extensions()]
    assert names == sorted(names)
    assert {"general", "business", "mcp", "reflex"} <= set(names)
    assert caplog.text == ""
