"""Made conversations: the same for the same seed, and nothing in them of what the suites measure with."""

import hashlib
import subprocess
import sys

import pytest
from training.data.companies import HELD_OUT, read_companies
from training.data.conversation import Answer, Call
from training.data.forbidden import REPOSITORY, forbidden_questions, forbidden_tools, is_too_near, words
from training.data.groups import NEVER, decode, encode, make_groups

COUNT = 12


@pytest.fixture(scope="module")
def groups():
    return list(make_groups(3, COUNT))


def test_the_same_seed_makes_the_same_bytes_in_another_process(groups):
    here = hashlib.sha256(b"".join(encode(iter(groups)))).hexdigest()
    program = (
        "import hashlib; from training.data.groups import encode, make_groups; "
        f"print(hashlib.sha256(b''.join(encode(make_groups(3, {COUNT})))).hexdigest())"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
        env={"PYTHONHASHSEED": "99", "PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'src'}"},
    )
    assert told.stdout.strip() == here


def test_another_seed_makes_other_groups(groups):
    assert list(make_groups(4, 2)) != groups[:2]


def test_a_group_survives_its_file(groups):
    assert [decode(line) for line in encode(iter(groups))] == groups


def test_no_tool_and_no_question_of_a_suite_is_in_them(groups):
    assert {"get_order", "calculate", "search_places", "resolve_my_fights", "read_file"} <= forbidden_tools()
    assert len(forbidden_questions()) > 300
    for group in groups:
        assert not {tool.name for tool in group.tools} & forbidden_tools()
        for conversation in group.conversations:
            assert not any(is_too_near(exchange.question) for exchange in conversation.exchanges)


def test_a_question_of_a_suite_is_too_near_whatever_its_case_and_signs():
    assert is_too_near("whats the status of order A 1042??") or is_too_near("What's the status of order A-1042")
    assert not is_too_near("Which of the lighthouses was painted last spring?")
    assert words("订单 A-1") == {"订", "单", "a", "1"}


def test_every_call_is_of_a_tool_on_offer_with_its_parameters(groups):
    for group in groups:
        tools = {tool.name: tool.parameters for tool in group.tools}
        calls = [
            step
            for conversation in group.conversations
            for exchange in conversation.exchanges
            for step in exchange.steps
            if isinstance(step, Call) and step.tool != "read_result"
        ]
        for call in calls:
            shape = tools[call.tool]
            assert set(shape["required"]) <= set(call.args) <= set(shape["properties"])
            assert call.observation != NEVER


def test_a_conversation_ends_with_an_answer(groups):
    for group in groups:
        for conversation in group.conversations:
            assert all(isinstance(exchange.steps[-1], Answer) for exchange in conversation.exchanges)


@pytest.mark.slow
def test_held_out_companies_are_in_no_training_data(groups):
    every = read_companies()
    apart = {thing.name for company in every if company.key in HELD_OUT for thing in company.things}
    kept = {thing.name for company in every if company.key not in HELD_OUT for thing in company.things}
    only = [f"The {name}'s number" for name in apart - kept]
    text = b"".join(encode(iter(groups))).decode()
    assert only
    assert not any(each in text for each in only)
    assert any(each in b"".join(encode(make_groups(3, 8 * COUNT, held_out=True))).decode() for each in only)


def test_english_german_and_chinese_are_all_there():
    spoken = [each.language for group in make_groups(8, 60) for each in group.conversations]
    for language, least in (("en", 0.6), ("de", 0.04), ("zh", 0.04)):
        assert spoken.count(language) >= least * len(spoken)
