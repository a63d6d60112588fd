"""What is right and what is wrong of a turn, case by case."""

import pytest

from evals.shop import suite_of
from glassloop.core.records import Evidence, Figure
from glassloop.evals.score import ObservedCall, ObservedTurn, judge

DEFAULTS = {"price": {"pieces": 1}}


def verdict(expected, *calls, answer="", evidence=None, status="completed"):
    """The verdict on a turn with these calls and this answer."""
    suite = suite_of(f'[[cases]]\nid = "x"\nquestion = "Q"\n{expected}')
    seen = ObservedTurn(
        calls=tuple(ObservedCall(tool, args) for tool, args in calls), answer=answer, evidence=evidence, status=status
    )
    return judge(suite.cases[0], seen, DEFAULTS)


A, B = ("price", {"item": "lamp"}), ("stock", {"item": "lamp"})


@pytest.mark.parametrize(
    ("expected", "calls", "right"),
    [
        ('tools = ["price"]', [A], True),
        ('tools = ["price"]', [], False),
        ('tools = ["price"]', [A, B], False),
        ('tools = ["price"]', [A, A], True),
        ('tools = ["price", "stock"]', [A, B], True),
        ('tools = ["price", "stock"]', [B, A], False),
        ('tools = ["price", "stock"]\norder = "any"', [B, A], True),
        ('tools = ["price", "stock"]\norder = "any"', [B], False),
        ('tools = ["price", "price"]', [A], True),
        ('tools = "none"', [], True),
        ("tools = []", [], True),
        ('tools = "none"', [A], False),
        ('tools = [["price"], ["stock"]]', [B], True),
        ('tools = [["price"], []]', [], True),
        ('tools = [["price"], ["stock"]]', [A, B], False),
    ],
)
def test_the_tools_are_those_expected_in_their_order_and_no_other(expected, calls, right):
    found = verdict(expected, *calls)
    assert found.tool is right
    assert found.arguments is found.answer is None
    assert bool(found.problems) is not right


@pytest.mark.parametrize(
    ("expected", "calls", "right"),
    [
        ('arguments.price = { item = "Lamp" }', [A], True),
        ('arguments.price = { item = "desk" }', [A], False),
        ('arguments.price = { item = "lamp", pieces = 1 }', [A], True),
        ('arguments.price = { item = "lamp", pieces = 2 }', [A], False),
        ('arguments.price = { item = "lamp" }', [("price", {"item": "x"}), A], True),
        ('arguments.price = { item = "lamp" }', [], False),
        ('arguments.price = [{ item = "lamp" }, { item = "lamp" }]', [A], False),
        ('arguments.price = [{ item = "desk" }, { item = "lamp" }]', [A, ("price", {"item": "desk"})], True),
        ("arguments.price = { item = { missing = true } }", [], True),
        ("arguments.price = { item = { missing = true } }", [("price", {"item": ""})], True),
        ("arguments.price = { item = { missing = true } }", [A], False),
        ("arguments.price = {}", [], False),
        ("arguments.price = {}", [A], True),
        ('arguments.stock = { item = "lamp" }\narguments.price = { item = "lamp" }', [A], False),
    ],
)
def test_an_expected_call_is_found_by_its_arguments(expected, calls, right):
    found = verdict(expected, *calls)
    assert found.arguments is right
    assert [problem.part for problem in found.problems] == ([] if right else ["arguments"])


@pytest.mark.parametrize(
    ("expected", "answer", "right"),
    [
        ("figures = [1234.5]", "It is €1.234,50.", True),
        ("figures = [1234.5]", "It is 1,234.50 EUR.", True),
        ("figures = [1234.5]", "It is 1,234.", False),
        ("figures = [{ number = 1234.5, within = 1 }]", "It is 1,234.", True),
        ("figures = [{ one_of = [465, 7.75] }]", "About 7.75 hours", True),
        ("figures = [3, 4]", "Only 3", False),
        ("figures = [1927]", "那卷是1927年打孔的。", True),
        ("figures = [1927]", "In May 1927.", False),
        ("figures = [-3]", "From -3 °C up", True),
        ('all = ["Shipped"]', "it was shipped", True),
        ('all = ["a b"]', "a\n b", True),
        ('any = ["x", "y"]', "why", True),
        ('any = ["x", "z"]', "why", False),
        ('none = ["sorry"]', "Sorry!", False),
        ("asks = true", "Which order?", True),
        ("asks = true", "请问是哪个订单", True),
        ("asks = true", "Please give the number.", True),
        ("asks = true", "There is none.", False),
    ],
)
def test_an_answer_is_judged_by_its_figures_and_words(expected, answer, right):
    found = verdict(f"answer = {{ {expected} }}", answer=answer)
    assert found.answer is right
    assert bool(found.problems) is not right


def test_every_figure_needs_a_source_where_evidence_is_asked_for():
    sourced = Figure(text="3", kind="number", start=0, end=1, source="call-1", found="3")
    loose = Figure(text="44", kind="number", start=2, end=4)
    whole, lacking = Evidence(figures=(sourced,), sourced=1), Evidence(figures=(sourced, loose), sourced=1)
    expected = "answer = { evidence = true }"
    assert verdict(expected, answer="3", evidence=whole).answer is True
    found = verdict(expected, answer="3 44", evidence=lacking)
    assert found.answer is False
    assert "44" in found.problems[0].got
    assert verdict(expected, answer="3").answer is False


def test_a_turn_that_did_not_complete_has_no_right_answer_and_says_why():
    found = verdict('tools = ["price"]\nanswer = { none = ["x"] }', A, answer="fine", status="failed")
    assert (found.tool, found.answer) == (True, False)
    assert found.problems[-1].part == "turn"


def test_what_was_rated_bad_is_wrong_only_when_all_of_it_comes_again():
    expected = 'unlike = { tools = ["price"], arguments.price = { item = "lamp" }, answer = { figures = [3] } }'
    assert verdict(expected, A, answer="It is 3.").answer is False
    assert verdict(expected, A, answer="It is 4.").answer is True
    assert verdict(expected, ("price", {"item": "desk"}), answer="It is 3.").answer is True
    assert verdict(expected, B, answer="It is 3.").answer is True


@pytest.mark.parametrize(
    ("expected", "got", "right"),
    [
        ('destination = "erp_agent"', "erp_agent", True),
        ('destination = "erp_agent"', "crm_agent", False),
        ('destination = ["erp_agent", "crm_agent"]', "crm_agent", True),
        ('destination = "erp_agent"', "", False),
        ('tools = "none"', "crm_agent", None),
    ],
)
def test_a_destination_is_judged_where_one_is_expected(expected, got, right):
    suite = suite_of(f'[[cases]]\nid = "x"\nquestion = "Q"\n{expected}')
    found = judge(suite.cases[0], ObservedTurn(destination=got, status="completed"), DEFAULTS)
    assert found.destination is right
    assert [problem.part for problem in found.problems] == ([] if right is not False else ["destination"])


@pytest.mark.parametrize(
    ("files", "problems"),
    [
        ({"a.py": "x = 2\n"}, ()),
        ({"a.py": "X  =  2\n"}, ()),
        ({"a.py": "x = 1\n"}, ("in a.py: the word 'x = 2'", "in a.py: not the word 'x = 1'")),
        ({}, ("the file 'a.py'",)),
    ],
)
def test_files_are_judged_by_their_words_and_count_as_the_answer(files, problems):
    suite = suite_of(
        '[[cases]]\nid = "x"\nquestion = "Q"\nfiles."a.py" = { all = ["x = 2"], none = ["x = 1"] }', workspace='"w"'
    )
    found = judge(suite.cases[0], ObservedTurn(status="completed"), DEFAULTS, files)
    assert (found.answer, tuple(each.expected for each in found.problems)) == (not problems, problems)
