"""Decisions beside those expected."""

import pytest
from training.tuning.scoring import is_right, score

CALL = '{"thought":"x","action":"boat_card","args":{"boat_id":"B-7","days":3}}'
ANSWER = '{"thought":"x","action":"answer","response":"It costs 1,250 euros for 3 days."}'
BACK = '{"thought":"x","action":"answer","response":"Which boat do you mean?"}'


@pytest.mark.parametrize(
    ("expected", "written", "right"),
    [
        (CALL, '{"thought":"other","action":"boat_card","args":{"days":3.0,"boat_id":"b-7"}}', (True, True)),
        (CALL, '{"thought":"x","action":"boat_card","args":{"boat_id":"B-8","days":3}}', (True, False)),
        (CALL, '{"thought":"x","action":"boat_list","args":{}}', (False, False)),
        (CALL, '{"thought":"x","action":"boat_c', (False, False)),
        (ANSWER, '{"thought":"","action":"answer","response":"3 days are 1250 euros."}', (True, True)),
        (ANSWER, '{"thought":"","action":"answer","response":"3 days are 1260 euros."}', (True, False)),
        (BACK, '{"thought":"","action":"answer","response":"I need the boat."}', (True, False)),
        (BACK, '{"thought":"","action":"answer","response":"Which one?"}', (True, True)),
    ],
)
def test_a_decision_is_right_by_its_tool_arguments_and_figures(expected, written, right):
    assert is_right(expected, written) == right


def test_counts_are_by_kind_and_of_all():
    cases = [{"decision": CALL, "kind": "single"}, {"decision": ANSWER, "kind": "single+back"}]
    assert score(cases, [CALL, "?"]) == {
        "all": {"count": 2, "tool": 1, "right": 1},
        "single": {"count": 2, "tool": 1, "right": 1},
    }
