"""Public sets are converted from a clone, and only what may be learned."""

import json
import subprocess

import pytest
from training.data.conversation import Answer, Call
from training.data.public import DATA, IRRELEVANT, SETS, convert, convert_seeds

FUNCTION = {
    "name": "high_waters",
    "description": "Tides of a port on a day. More words.",
    "parameters": {
        "type": "dict",
        "properties": {"port": {"type": "string"}, "metres": {"type": "float"}, "unit": {"type": "string"}},
        "required": ["port"],
    },
}


def row(ident, text, function=FUNCTION):
    return {"id": ident, "question": [[{"role": "user", "content": text}]], "function": [function]}


@pytest.fixture
def clone(tmp_path):
    """A repository with the files that the converters read."""
    wanted = {"id": "a", "ground_truth": [{"high_waters": {"port": ["Brest"], "metres": [2.5], "unit": ["", "m"]}}]}
    unsaid = {"id": "b", "ground_truth": [{"high_waters": {"port": ["", None]}}]}
    rows = [row("a", "When are tides over 2.5 in Brest?"), row("b", "When is high water?")]
    forbidden = row("c", "Order status of K-77 please", {**FUNCTION, "name": "get_order"})
    answers = [wanted, unsaid, {"id": "c", "ground_truth": [{"get_order": {"port": ["K-77"]}}]}]
    files = {f"{DATA}/BFCL_v4_{name}.json": [] for name in (*SETS, *IRRELEVANT)}
    files |= {f"{DATA}/possible_answer/BFCL_v4_{name}.json": [] for name in SETS}
    files[f"{DATA}/BFCL_v4_multiple.json"] = [*rows, forbidden]
    files[f"{DATA}/possible_answer/BFCL_v4_multiple.json"] = answers
    files[f"{DATA}/BFCL_v4_irrelevance.json"] = [row(str(number), "Play my song now!") for number in range(12)]
    seed = {
        "instruction": "Name a fruit.",
        "instances": [{"input": "", "output": "An apple, because " + "it is fine. " * 4}],
    }
    files["data/seed_tasks.jsonl"] = [seed, {**seed, "instances": [{"input": "", "output": "Pear"}]}]
    pool = [{**FUNCTION, "name": f"tool_{number}"} for number in range(20)]
    files[f"{DATA}/BFCL_v4_live_simple.json"] = [row(f"x{number}", "?", each) for number, each in enumerate(pool)]
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(each) + "\n" for each in content))
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    return tmp_path


def test_a_call_is_learned_with_what_the_question_says(clone):
    groups = [group for group in convert(clone) if group.source == "bfcl-multiple"]
    assert len(groups) == 1
    (step,) = groups[0].conversations[0].exchanges[0].steps
    assert isinstance(step, Call)
    assert step.args == {"port": "Brest", "metres": 2.5}
    kinds = {tool.name: tool.parameters for tool in groups[0].tools}["high_waters"]["properties"]
    assert kinds["metres"] == {"type": "number"}


def test_what_no_tool_does_is_declined(clone):
    steps = [group.conversations[0].exchanges[0].steps[0] for group in convert(clone) if "irrelevance" in group.source]
    assert steps
    assert all(isinstance(step, Answer) for step in steps)


def test_seed_tasks_with_whole_answers_are_learned_over_made_catalogues(clone):
    groups = list(convert_seeds(clone, times=2))
    assert [group.conversations[0].exchanges[0].question for group in groups] == ["Name a fruit.", "Name a fruit."]
    assert groups[0].tools != groups[1].tools
