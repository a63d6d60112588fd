"""What there is: tools, assistants, models, settings; and making an assistant of one's own."""

from pathlib import Path
from typing import Any

import msgspec

import glassloop as package


def test_tools_are_listed_for_people_and_for_programs(glassloop: Any) -> None:
    shown = glassloop("tools").stdout.decode()
    specs = msgspec.json.decode(glassloop("tools", "--json").stdout)
    assert {spec["name"] for spec in specs} >= {"calculate", "convert_units", "forget"}
    assert all(f"{spec['name']}(" in shown for spec in specs)
    assert "asks first" in shown


def test_an_assistant_is_made_and_asked_at_once(glassloop: Any, folder: Path) -> None:
    (folder / "readme.md").write_text("one two three", "utf-8")
    made = glassloop("init", "librarian")
    assert made.returncode == 0, made.stderr
    assert "glassloop ask -a librarian" in made.stdout.decode()
    assert "librarian  Librarian" in glassloop("assistants").stdout.decode()
    asked = glassloop("ask", "-a", "librarian", "-m", "reflex", '/tool count_words {"name": "readme.md"}')
    assert asked.returncode == 0, asked.stderr
    assert "words: 3" in asked.stdout.decode()
    assert glassloop("init", "librarian").returncode == 2


def test_an_assistant_made_elsewhere_is_asked_by_its_folder(glassloop: Any, tmp_path: Path) -> None:
    made = glassloop("init", "clerk", "--dir", str(tmp_path / "mine"), "--json")
    assert made.returncode == 0
    where = str(tmp_path / "mine" / "clerk")
    assert msgspec.json.decode(made.stdout) == {"name": "clerk", "folder": where, "asked_as": where}
    asked = glassloop("ask", "-a", str(tmp_path / "mine" / "clerk"), "-m", "reflex", "/tools")
    assert "list_files" in asked.stdout.decode()


def test_assistants_are_listed_with_their_questions(glassloop: Any) -> None:
    found = msgspec.json.decode(glassloop("assistants", "--json").stdout)
    assert "general" in [assistant["name"] for assistant in found]
    assert "What is 18% of 2,450?" in glassloop("assistants").stdout.decode()


def test_without_any_key_models_says_that_reflex_answers_and_what_to_set(glassloop: Any) -> None:
    shown = glassloop("models").stdout.decode()
    assert "Answers now: reflex" in shown
    assert "not a" in shown
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OLLAMA_HOST"):
        assert variable in shown


def test_models_says_which_provider_is_in_force_and_why(glassloop: Any) -> None:
    found = msgspec.json.decode(glassloop("models", "--json", OPENAI_API_KEY="test").stdout)
    assert found["default"].startswith("openai:")
    assert "OPENAI_API_KEY" in found["why"]
    assert set(found["tiers"]) == {"fast", "balanced", "powerful"}
    assert {info["provider"]: info["configured"] for info in found["providers"]}["anthropic"] is False


def test_models_says_when_the_model_that_is_set_cannot_be_used(glassloop: Any) -> None:
    done = glassloop("models", GLASSLOOP_MODEL="anthropic:x")
    assert done.returncode == 0
    assert "cannot be used yet" in done.stdout.decode()
    assert "set as the model (environment)" in " ".join(done.stdout.decode().split())


def test_settings_show_values_and_origins_but_no_secrets(glassloop: Any, folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_API_KEY=test-abcdef\nOPENAI_BASE_URL=http://me:pass@host/v1\n", "utf-8")
    (folder / "glassloop.toml").write_text("context_keep_recent = 7\n", "utf-8")
    assert glassloop("trust", "--yes").returncode == 0
    settings = {"REACT_MAX_ITERATIONS": "9", "ANTHROPIC_API_KEY": "test-123456"}
    raw = glassloop("settings", "--json", **settings)
    found = {setting["name"]: setting for setting in msgspec.json.decode(raw.stdout)}
    people = glassloop("settings", **settings).stdout.decode()
    assert (found["max_iterations"]["value"], found["max_iterations"]["origin"]) == (9, "environment")
    assert (found["context_keep_recent"]["value"], found["context_keep_recent"]["origin"]) == (7, "glassloop.toml")
    assert found["openai.api_key"]["origin"] == ".env"
    assert found["preset"]["origin"] == "default"
    for secret in ("test-abcdef", "test-123456", "me:pass"):
        assert secret not in raw.stdout.decode()
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


def test_at_sixty_columns_no_line_is_longer(glassloop: Any) -> None:
    for command in ("models", "settings"):
        lines = glassloop(command, COLUMNS="60").stdout.decode().splitlines()
        assert max(map(len, lines)) <= 60


def test_profiles_that_no_name_leads_to_are_listed_with_the_reason(glassloop: Any, folder: Path) -> None:
    for name, text in (("broken", "nonsense = 1"), ("taken", 'name = "general"\nprompt = "Theirs."')):
        (folder / name).mkdir()
        (folder / name / "assistant.toml").write_text(text, "utf-8")
    shown = " ".join(glassloop("assistants").stdout.decode().split())
    assert "nonsense" in shown
    assert "belongs to an assistant that is installed" in shown
    listed = glassloop("assistants", "--json")
    assert [assistant["name"] for assistant in msgspec.json.decode(listed.stdout)] == ["business", "general"]
    assert listed.stderr.decode().count("Not usable by name") == 2
    assert glassloop("tools").returncode == 0


def test_json_holds_every_character_and_steers_no_terminal(glassloop: Any, folder: Path) -> None:
    odd = "a\x7f\x9b31m\u202eb\u2066\u2028\U000e0041é漢"
    (folder / "odd").mkdir()
    title = "".join(f"\\U{ord(character):08x}" for character in odd)
    (folder / "odd" / "assistant.toml").write_text(f'name = "odd"\nprompt = "Help."\ntitle = "{title}"\n', "utf-8")
    told = {
        "assistants": glassloop("assistants", "--json").stdout,
        "events": glassloop("ask", "-m", "reflex", "--session", "s-1", "--json", f"Remember that {odd}").stdout,
        "session": glassloop("sessions", "show", "s-1", "--json").stdout,
        "export": glassloop("sessions", "export", "s-1").stdout,
    }
    for name, raw in told.items():
        assert not set("\x7f\x9b\u202e\u2066\u2028\U000e0041") & set(raw.decode()), name
        assert "é漢" in raw.decode(), name
    named = {each["name"]: each["title"] for each in msgspec.json.decode(told["assistants"])}
    assert named["odd"] == odd
    assert odd in msgspec.json.decode(told["session"])["messages"][0]["content"]
    assert odd in msgspec.json.decode(told["events"].splitlines()[0])["question"]
    imported = glassloop("sessions", "import", "-", "--user", "ada", stdin=told["export"])
    assert imported.returncode in (0, 2), imported.stderr


def test_an_assistant_made_under_a_name_of_ours_is_said_to_be_asked_by_its_path(glassloop: Any) -> None:
    assert "ask -a ./general" in glassloop("init", "general").stdout.decode()
    assert "list_files" in glassloop("tools", "-a", "./general").stdout.decode()
    assert "list_files" not in glassloop("tools").stdout.decode()


def test_settings_say_that_an_unknown_preset_is_balanced(glassloop: Any) -> None:
    assert "no preset 'spede', so 'balanced' is used" in glassloop("settings", GLASSLOOP_PRESET="spede").stdout.decode()
    assert "so 'balanced' is used" not in glassloop("settings").stdout.decode()
