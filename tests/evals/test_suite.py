"""Suites as files: what they may hold, and the one sentence for what they may not."""

import re
from pathlib import Path

import pytest

from glassloop.core.errors import UnknownName, UsageError
from glassloop.evals.expected_values import read_value
from glassloop.evals.suite_files import find_suite, list_suites, parse_suite, read_suite, toml
from glassloop.evals.target import assistant_of, check_names
from glassloop.runtime.assistants.assistant_files import load_parts, open_assistant
from glassloop.runtime.settings import Settings

HEAD = 'name = "mine"\nassistant = "general"\n'
GOOD = '[[cases]]\nid = "one"\nquestion = "Hi?"\ntools = "none"\n'
DOCS = Path(__file__).resolve().parents[2] / "docs" / "evals.md"


def case(lines, ident="two"):
    return f'{HEAD}\n{GOOD}\n[[cases]]\nid = "{ident}"\n{lines}'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name =\nx = 1", ["not TOML", "line 1"]),
        (HEAD, ["missing required field `cases`"]),
        (f"{HEAD}cases = []", ["1 to 2,000 cases, not 0"]),
        (f'name = "mine"\n{GOOD}', ["either `assistant`", "or `tools`"]),
        (f'{HEAD}prompt = "p"\n{GOOD}', ["`prompt` goes with `tools`"]),
        (f"{HEAD}seconds = 0\n{GOOD}", ["`seconds` must be above 0"]),
        (f'{HEAD}workspace = "/srv"\n{GOOD}', ["`workspace` '/srv'", "a folder beside the suite"]),
        (f'{HEAD}workspace = "a/../../b"\n{GOOD}', ["'a/../../b'", "a folder beside the suite"]),
        (f'{HEAD}{GOOD}files.a = {{ all = ["b"] }}\n', ["`files` goes with `workspace`"]),
        (f'{HEAD}workspace = "w"\n{GOOD}files.a = {{ all = [" "] }}\n', ["an empty word", "at `files"]),
        (f"{HEAD}colour = 1\n{GOOD}", ["unknown field `colour`"]),
        (f"{HEAD}{GOOD}{GOOD}", ["the id 'one' is given to several"]),
        (case('tools = "none"'), ["either `question` or `questions`", "case 2, 'two', line 9"]),
        (case('question = "Q"'), ["nothing is expected", "case 2, 'two', line 9"]),
        (case('question = " "\ntools = "none"'), ["1 to 20,000 characters, not 0", "line 9"]),
        (case('question = "Q"\ntools = "calculate"'), ["'calculate'", 'or "none"', "case 2"]),
        (case('question = "Q"\ntools = ["a", ["b"]]'), ["mixes names and lists: write 'a'", "case 2"]),
        (case('question = "Q"\ntools = 3'), ["case 2, 'two', line 9, at `tools`"]),
        (case('question = "Q"\ntool = ["a"]'), ["unknown field `tool`", "case 2"]),
        (case('question = "Q"\ntools = "none"\nanswer = { figure = [1] }'), ["unknown field `figure`", "at `answer`"]),
        (case('question = "Q"\nanswer = { all = [" "] }'), ["an empty word", "case 2"]),
        (case('question = "Q"\narguments.a.b = { near = 3 }'), ["`arguments.a.b`", "unknown field `near`", "{exact ="]),
        (case('question = "Q"\narguments.a.b = { number = 3, contains = "x" }'), ["one of", "number and contains"]),
        (case('question = "Q"\narguments.a.b = { contains = "x", within = 1 }'), ["`within`", "goes with `number`"]),
        (case('question = "Q"\narguments.a.b = { missing = false }'), ["`missing` can only be true"]),
        (case('question = "Q"\ntools = "none"', "a b"), ["'a b' must be letters", "case 2, 'a b'"]),
        (case(f'question = "Q"\ntools = {["a"] * 51}'), ["51 entries, at most 50"]),
        (case(f'questions = {["Q"] * 11}\ntools = "none"'), ["11 entries, at most 10"]),
    ],
)
def test_a_mistake_is_told_in_one_sentence_with_its_place(text, words):
    with pytest.raises(UsageError) as told:
        parse_suite(text, Path("mine.toml"))
    message = str(told.value)
    assert "\n" not in message
    assert "'mine.toml'" in message
    for word in words:
        assert word in message


def test_a_file_that_is_too_large_missing_or_no_text_is_refused(tmp_path):
    (tmp_path / "large.toml").write_text(HEAD + GOOD + "#" * 1_000_000)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\xff")
    for name, word in (("large.toml", "larger than"), ("bytes.toml", "not UTF-8"), ("none.toml", "No such file")):
        with pytest.raises(UsageError, match=word):
            read_suite(tmp_path / name)


def test_a_value_can_be_expected_in_several_ways():
    fits = [
        (25, 25.0),
        (25, "25"),
        ("Berlin", " berlin "),
        (True, True),
        (["a"], ["a"]),
        ({"number": 1.5, "within": 0.1}, 1.6),
        ({"contains": "okafor"}, "Okafor Ltd"),
        ({"one_of": ["09:15", "9:15"]}, "9:15"),
        ({"exact": {"a": 1}}, {"a": 1}),
    ]
    for wanted, got in fits:
        assert read_value(wanted).fits(got), (wanted, got)
    unlike = [
        (25, 26),
        (1, True),
        ("Berlin", "Bern"),
        (True, 1),
        ({"number": 1.5, "within": 0.1}, 1.7),
        ({"number": 1.5}, "many"),
        ({"number": 1.5}, float("nan")),
        ({"exact": "A"}, "a"),
        ({"exact": 1}, 1.0),
        ({"contains": "x"}, None),
    ]
    for wanted, got in unlike:
        assert not read_value(wanted).fits(got), (wanted, got)


def test_names_mean_suites_of_the_home_first_and_paths_mean_files(tmp_path):
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "tools40.toml").write_text(HEAD + GOOD)
    (tmp_path / "evals" / "broken.toml").write_text("name =")
    assert find_suite("tools40", Settings(home=str(tmp_path))).name == "mine"
    assert find_suite("tools40", Settings(home=str(tmp_path / "elsewhere"))).name == "tools40"
    assert find_suite(str(tmp_path / "evals" / "tools40.toml"), Settings(home=str(tmp_path))).name == "mine"
    with pytest.raises(UnknownName, match="did you mean 'tools40'"):
        find_suite("tools4", Settings(home=str(tmp_path)))
    found = list_suites(Settings(home=str(tmp_path)))
    readable = [each.name for each in found if not isinstance(each, UsageError)]
    assert readable == ["business120", "code", "places", "raids", "reflex100", "routes65", "mine"]
    assert next(str(each) for each in found if isinstance(each, UsageError)).count("broken.toml") == 1


def test_a_suite_with_tools_of_its_own_gets_an_assistant_that_others_can_open(tmp_path):
    (tmp_path / "more.py").write_text(
        'from glassloop import tool\n\n\n@tool(effect="read")\ndef nine() -> int:\n    """Nine."""\n    return 9\n'
    )
    (tmp_path / "own.toml").write_text(f'name = "own"\ntools = ["more.py"]\nprompt = "Say \\"9\\"."\n{GOOD}')
    settings = Settings(home=str(tmp_path / "home"))
    folder = assistant_of(read_suite(tmp_path / "own.toml"), settings.home_path)
    assistant = open_assistant(folder, settings)
    assert (assistant.name, assistant.prompt) == ("own", 'Say "9".')
    assert list(load_parts(assistant, Settings(home=str(tmp_path))).tools.specs) == ["nine"]
    assert assistant_of(read_suite(tmp_path / "own.toml"), settings.home_path) == folder


def test_a_changed_tool_file_makes_it_another_suite(tmp_path):
    (tmp_path / "more.py").write_text("A = 1\n")
    (tmp_path / "own.toml").write_text(f'name = "own"\ntools = ["more.py"]\n{GOOD}')
    before = read_suite(tmp_path / "own.toml").digest
    assert read_suite(tmp_path / "own.toml").digest == before
    (tmp_path / "more.py").write_text("A = 2\n")
    assert read_suite(tmp_path / "own.toml").digest != before


def test_a_changed_file_of_the_workspace_makes_it_another_suite_and_a_compiled_one_does_not(tmp_path):
    (tmp_path / "work" / "__pycache__").mkdir(parents=True)
    (tmp_path / "work" / "a.py").write_text("A = 1\n")
    (tmp_path / "own.toml").write_text(f'{HEAD}workspace = "work"\n{GOOD}')
    before = read_suite(tmp_path / "own.toml").digest
    (tmp_path / "work" / "__pycache__" / "a.pyc").write_bytes(b"1")
    assert read_suite(tmp_path / "own.toml").digest == before
    (tmp_path / "work" / "a.py").write_text("A = 2\n")
    assert read_suite(tmp_path / "own.toml").digest != before


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('tools = ["calculat"]', ["'two'", "'calculat'", "'calculate'"]),
        ('arguments.calculate = { formula = "1" }', ["calculate.formula", "expression"]),
        ('unlike = { tools = ["nothing"] }', ["'nothing'"]),
        ("unlike = { arguments.calculate = { formula = 1 } }", ["calculate.formula"]),
    ],
)
def test_a_suite_may_expect_only_what_the_assistant_has(lines, words):
    settings = Settings()
    specs = load_parts(open_assistant("general", settings), Settings(home=str(Path("home")))).tools.specs
    suite = parse_suite(case(f'question = "Q"\n{lines}'), Path("mine.toml"))
    with pytest.raises(UsageError) as told:
        check_names(suite, specs)
    for word in words:
        assert word in str(told.value)


def test_a_suite_may_approve_only_tools_that_the_assistant_has():
    specs = load_parts(open_assistant("general", Settings()), Settings(home=str(Path("home")))).tools.specs
    with pytest.raises(UsageError, match=r"approves the tool 'calculat'.*'calculate'"):
        check_names(parse_suite(f'{HEAD}approve = ["calculat"]\n{GOOD}', Path("mine.toml")), specs)


def test_what_is_written_as_toml_is_read_as_it_was():
    import tomllib

    for value in ('a "b" \\ \x7f \x01 ü 订单\n', {"a b": [1, 2.5, True], "c": {}}, [], ["x", {"y": "z"}], -1e300):
        assert tomllib.loads(f"value = {toml(value)}")["value"] == value


def test_the_example_in_the_docs_is_a_suite_for_its_assistant():
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), flags=re.DOTALL)
    assert example is not None
    suite = parse_suite(example[1], Path("desk.toml"))
    check_names(
        suite, load_parts(open_assistant(suite.assistant, Settings()), Settings(home=str(Path("home")))).tools.specs
    )
    assert suite.cases[1].asked[1] == "And in kilometers?"
