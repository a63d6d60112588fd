"""The folder of a session: which may be chosen, and that it stays with the session."""

import msgspec
import pytest

from glassloop.core.errors import UnknownName, UsageError
from glassloop.extensions.code.extension import CodeSettings
from glassloop.runtime.durable.submission import TurnOptions
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import AllowedRoots
from runtime.conftest import close


@pytest.fixture
def projects(tmp_path):
    """Two users' folders below a root, a home beside them."""
    root = tmp_path / "srv"
    for name in ("ann/shop", "bob/site", "shared"):
        (root / name).mkdir(parents=True)
    return root


def roots(tmp_path, named="", **more):
    settings = Settings(home=str(tmp_path / "home"), **more).having(CodeSettings(roots=named))
    started = tmp_path / "started"
    started.mkdir(exist_ok=True)
    return AllowedRoots(settings, started)


def test_on_a_server_only_the_roots_that_the_operator_names_may_be_worked_in(tmp_path, projects):
    allowed = roots(tmp_path, f"{projects}/{{user}}, {projects}/shared", auth="keys")
    assert [root.name for root in allowed.of("ann")] == ["ann", "shared"]
    assert allowed.find("ann", "ann/shop") == ("ann/shop", projects / "ann/shop")
    assert allowed.find("ann", str(projects / "ann/shop"))[0] == "ann/shop"
    assert allowed.find("ann", "shop")[0] == "ann/shop"
    for name in ("bob/site", str(projects / "bob/site"), "ann/../bob/site", "/", "ann/nothing", "../srv/bob"):
        with pytest.raises(UsageError, match="you may work in") as refused:
            allowed.find("ann", name)
        assert str(tmp_path) not in str(refused.value).replace(name, "")


def test_a_link_that_leads_out_of_a_root_is_no_workspace(tmp_path, projects):
    (projects / "ann/mine").symlink_to(projects / "bob")
    with pytest.raises(UsageError, match="you may work in"):
        roots(tmp_path, f"{projects}/{{user}}", auth="keys").find("ann", "ann/mine/site")


def test_a_user_whose_name_is_no_name_of_a_folder_has_no_root_of_their_own(tmp_path, projects):
    allowed = roots(tmp_path, f"{projects}/{{user}}", auth="proxy")
    for name in ("..", "../bob", "bob/site", "", "a\0b", ".hidden"):
        with pytest.raises(UsageError, match="GLASSLOOP_CODE_ROOTS"):
            allowed.of(name)


def test_without_roots_the_operator_has_to_name_one(tmp_path):
    with pytest.raises(UsageError, match="operator of this server can allow one with GLASSLOOP_CODE_ROOTS"):
        roots(tmp_path, auth="keys").of("ann")


def test_in_local_mode_the_folder_it_was_started_in_may_be_worked_in(tmp_path):
    allowed = roots(tmp_path)
    (tmp_path / "started" / "src").mkdir()
    assert "started" in [root.name for root in allowed.of("local")]
    assert allowed.find("local", "started/src")[1] == tmp_path / "started" / "src"


def test_the_home_of_glassloop_is_never_inside(tmp_path):
    (tmp_path / "home" / "code").mkdir(parents=True)
    allowed = roots(tmp_path, str(tmp_path), auth="keys")
    for name in (tmp_path, tmp_path / "home", tmp_path / "home" / "code"):
        with pytest.raises(UsageError, match="Glassloop's own data"):
            allowed.find("ann", str(name))


def test_two_roots_of_one_name_are_told_apart(tmp_path):
    for name in ("a/code", "b/code"):
        (tmp_path / name).mkdir(parents=True)
    allowed = roots(tmp_path, f"{tmp_path}/a/code,{tmp_path}/b/code", auth="keys")
    assert [root.name for root in allowed.of("ann")] == ["a/code", "b/code"]
    assert allowed.find("ann", "b/code")[1] == tmp_path / "b/code"


def test_a_folder_is_allowed_only_for_as_long_as_it_was_asked_for(tmp_path, projects):
    allowed = roots(tmp_path, f"{projects}/{{user}}", auth="keys")
    (tmp_path / "home" / "code").mkdir(parents=True)
    with allowed.allowing(projects / "shared"), allowed.allowing(tmp_path / "home" / "code"):
        assert allowed.find("ann", str(projects / "shared")) == ("shared", projects / "shared")
        with pytest.raises(UsageError, match="you may work in"):
            allowed.find("ann", str(tmp_path / "home" / "code"))
    with pytest.raises(UsageError, match="you may work in"):
        allowed.find("ann", str(projects / "shared"))


@pytest.fixture
def placed(shared, tmp_path):
    settings, queue = shared
    for name in ("one", "two"):
        (tmp_path / "code" / name).mkdir(parents=True)
    settings = msgspec.structs.replace(settings, home=str(tmp_path / "home"))
    return settings.having(CodeSettings(roots=str(tmp_path / "code"))), queue


def at(name, **more):
    return TurnOptions(workspace=f"code/{name}", **more)


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")


async def done(runtime, *asked, **given):
    submitted = await runtime.submit(*asked, **given)
    return [event async for event in runtime.watch(submitted.turn_id)]


@pytest.mark.usefixtures("elsewhere")
async def test_a_session_keeps_its_folder_over_a_restart_and_its_forks_have_it_too(placed, opens, tmp_path):
    runtime = await opens(placed, ["Hello."])
    asked = at("one", context_name="idx", mode="edits")
    events = await done(runtime, "Hi", session_id="s", user="ann", options=asked)
    assert events[0].settings["mode"] == "edits"
    await close(runtime)
    runtime = await opens(placed, ["Again.", "Forked."])
    found = await runtime.workspaces.of("ann", "s")
    assert (found.root, found.name, found.context_name) == (tmp_path / "code/one", "code/one", "idx")
    events = await done(runtime, "Again", session_id="s", user="ann")
    assert events[0].settings["mode"] == "edits"
    forked = await runtime.fork(events[0].turn_id, 1, user="ann")
    assert (await runtime.workspaces.of("ann", forked.session_id)).root == tmp_path / "code/one"
    assert not any(str(tmp_path) in str(event) for event in events)


@pytest.mark.usefixtures("elsewhere")
async def test_a_session_with_turns_stays_in_its_folder_and_another_user_has_none_of_it(placed, opens, tmp_path):
    runtime = await opens(placed, ["Hello.", "Again."])
    await done(runtime, "Hi", session_id="s", user="ann", options=at("one"))
    with pytest.raises(UsageError, match="works in another folder"):
        await runtime.submit("Hi", session_id="s", user="ann", options=at("two"))
    with pytest.raises(UnknownName, match="no session"):
        await runtime.submit("Hi", session_id="s", user="bob", options=at("two"))
    for user, session in (("bob", "s"), ("ann", "other")):
        with pytest.raises(UsageError, match="has no workspace"):
            await runtime.workspaces.of(user, session)
    await runtime.store.sessions.delete("s")
    assert await runtime.store.workspaces.get("s") is None
