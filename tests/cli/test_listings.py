"""What there is: tools, assistants, models, settings; and making an assistant of one's own."""

from pathlib import Path
from typing import Any

import msgspec

import glassloop as package


def test_tools_are_listed_for_people_and_for_programs(here: Any) -> None:
    shown = here("tools").out
    specs = here("tools", "--json").json
    assert {spec["name"] for spec in specs} >= {"calculate", "convert_units", "forget"}
    assert all(f"{spec['name']}(" in shown for spec in specs)
    assert "asks first" in shown


def test_an_assistant_is_made_and_asked_at_once(here: Any, folder: Path) -> None:
    (folder / "readme.md").write_text("one two three", "utf-8")
    made = here("init", "librarian")
    assert made.code == 0, made.err
    assert "glassloop ask -a librarian" in made.out
    assert "librarian  Librarian" in here("assistants").out
    asked = here("ask", "-a", "librarian", "-m", "reflex", '/tool count_words {"name": "readme.md"}')
    assert asked.code == 0, asked.err
    assert "words: 3" in asked.out
    assert here("init", "librarian").code == 2


def test_an_assistant_made_elsewhere_is_asked_by_its_folder(here: Any, tmp_path: Path) -> None:
    made = here("init", "clerk", "--dir", str(tmp_path / "mine"), "--json")
    assert made.code == 0
    where = str(tmp_path / "mine" / "clerk")
    assert made.json == {"name": "clerk", "folder": where, "asked_as": where}
    asked = here("ask", "-a", str(tmp_path / "mine" / "clerk"), "-m", "reflex", "/tools")
    assert "list_files" in asked.out


def test_assistants_are_listed_with_their_questions(here: Any) -> None:
    found = here("assistants", "--json").json
    assert "general" in [assistant["name"] for assistant in found]
    assert "What is 18% of 2,450?" in here("assistants").out


def test_without_any_key_models_says_that_reflex_answers_and_what_to_set(here: Any) -> None:
    shown = here("models").out
    assert "In use: reflex" in shown
    assert "not a" in shown
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OLLAMA_HOST"):
        assert variable in shown


def test_models_says_which_provider_is_in_force_and_why(here: Any) -> None:
    found = here("models", "--json", OPENAI_API_KEY="test").json
    assert found["default"].startswith("openai:")
    assert "OPENAI_API_KEY" in found["why"]
    assert set(found["tiers"]) == {"fast", "balanced", "powerful"}
    assert {info["provider"]: info["configured"] for info in found["providers"]}["anthropic"] is False


def test_models_says_when_the_model_that_is_set_cannot_be_used(here: Any) -> None:
    done = here("models", GLASSLOOP_MODEL="anthropic:x")
    assert done.code == 0
    assert "Not usable yet" in done.out
    assert "set as the model (environment)" in " ".join(done.out.split())


def test_settings_show_values_and_origins_but_no_secrets(here: Any, folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_API_KEY=test-abcdef\nOPENAI_BASE_URL=http://me:pass@host/v1\n", "utf-8")
    (folder / "glassloop.toml").write_text("context_keep_recent = 7\n", "utf-8")
    assert here("trust", "--yes").code == 0
    settings = {"REACT_MAX_ITERATIONS": "9", "ANTHROPIC_API_KEY": "test-123456"}
    raw = here("settings", "--json", **settings)
    found = {setting["name"]: setting for setting in raw.json}
    people = here("settings", **settings).out
    assert (found["max_iterations"]["value"], found["max_iterations"]["origin"]) == (9, "environment")
    assert (found["context_keep_recent"]["value"], found["context_keep_recent"]["origin"]) == (7, "glassloop.toml")
    assert found["openai.api_key"]["origin"] == ".env"
    assert found["preset"]["origin"] == "default"
    for secret in ("test-abcdef", "test-123456", "me:pass"):
        assert secret not in raw.out
        assert secret not in people
    assert "http://***@host/v1" in people


def test_version_and_help_come_without_the_heavy_imports(glassloop: Any) -> None:
    assert glassloop("--version").stdout.decode().strip() == f"glassloop {package.__version__}"
    helped = glassloop("--help", PYTHONPROFILEIMPORTTIME="1")
    loaded = helped.stderr.decode()
    assert "Examples:" in helped.stdout.decode()
    for heavy in ("pydantic", "rich.console", "asyncio", "fastapi", "sqlalchemy", "glassloop.runtime.durable.runtime"):
        assert f" {heavy}\n" not in loaded, heavy
    assert glassloop().stdout == helped.stdout


def test_at_sixty_columns_no_line_is_longer(here: Any) -> None:
    for command in ("models", "settings"):
        lines = here(command, COLUMNS="60").out.splitlines()
        assert max(map(len, lines)) <= 60


def test_profiles_that_no_name_leads_to_are_listed_with_the_reason(here: Any, folder: Path) -> None:
    for name, text in (("broken", "nonsense = 1"), ("taken", 'name = "general"\nprompt = "Theirs."')):
        (folder / name).mkdir()
        (folder / name / "assistant.toml").write_text(text, "utf-8")
    shown = " ".join(here("assistants").out.split())
    assert "nonsense" in shown
    assert "belongs to an assistant that is installed" in shown
    here("trust", "--yes")
    listed = here("assistants", "--json")
    assert [assistant["name"] for assistant in listed.json] == ["business", "code", "general", "places", "raids"]
    assert listed.err.count("Not available by name") == 2
    assert here("tools").code == 0


def test_json_holds_every_character_and_steers_no_terminal(here: Any, folder: Path) -> None:
    odd = "a\x7f\x9b31m\u202eb\u2066\u2028\U000e0041é漢"
    (folder / "odd").mkdir()
    title = "".join(f"\\U{ord(character):08x}" for character in odd)
    (folder / "odd" / "assistant.toml").write_text(f'name = "odd"\nprompt = "Help."\ntitle = "{title}"\n', "utf-8")
    here("trust", "--yes")
    told = {
        "assistants": here("assistants", "--json").out,
        "events": here("ask", "-m", "reflex", "--session", "s-1", "--json", f"Remember that {odd}").out,
        "session": here("sessions", "show", "s-1", "--json").out,
        "export": here("sessions", "export", "s-1").out,
    }
    for name, raw in told.items():
        assert not set("\x7f\x9b\u202e\u2066\u2028\U000e0041") & set(raw), name
        assert "é漢" in raw, name
    named = {each["name"]: each["title"] for each in msgspec.json.decode(told["assistants"])}
    assert named["odd"] == odd
    assert odd in msgspec.json.decode(told["session"])["messages"][0]["content"]
    assert odd in msgspec.json.decode(told["events"].splitlines()[0])["question"]
    imported = here("sessions", "import", "-", "--user", "ada", stdin=told["export"])
    assert imported.code in (0, 2), imported.err


def test_an_assistant_made_under_a_name_of_ours_is_said_to_be_asked_by_its_path(here: Any) -> None:
    assert "ask -a ./general" in here("init", "general").out
    assert "list_files" in here("tools", "-a", "./general").out
    assert "list_files" not in here("tools").out


def test_settings_say_that_an_unknown_preset_is_balanced(here: Any) -> None:
    assert "no preset 'spede', so 'balanced' is used" in here("settings", GLASSLOOP_PRESET="spede").out
    assert "so 'balanced' is used" not in here("settings").out
