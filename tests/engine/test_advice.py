"""Small models are advised: the advice is a fact of the trace, binds the next decision, and leaves the prefix alone."""

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.messages import Abilities
from glassloop.runtime.replay.fork import fork
from glassloop.runtime.replay.replay import replay

SMALL = Abilities(native_tools=False, json_schema=True, small=True)


@tool(effect="read")
def weigh_crate(crate_id: str) -> dict[str, object]:
    """Weigh a crate.

    Args:
        crate_id: The crate's number, such as CR-100.
    """
    return {"crate_id": crate_id, "kg": 12}


@tool(effect="read")
def sunrise(city: str) -> str:
    """When the sun rises in a city.

    Args:
        city: The city.
    """
    return f"06:10 in {city}"


def calling(name, **args):
    body = ", ".join(f'"{key}": "{value}"' for key, value in args.items())
    return f'{{"thought": "t", "action": "{name}", "args": {{{body}}}}}'


def answering(text):
    return f'{{"thought": "t", "action": "answer", "response": "{text}"}}'


class Listening(ScriptedModel):
    """Remembers what it was told: a request's messages are a live view."""

    def __init__(self, script, abilities):
        super().__init__(script, abilities=abilities)
        self.told = []

    def stream(self, request):
        self.told.append([getattr(message, "content", "") for message in request.messages])
        return super().stream(request)


async def play(question, *said, abilities=SMALL, **options):
    model = Listening(said, abilities)
    agent = Agent(model, [weigh_crate, sunrise], **options)
    return [event async for event in agent.stream(question)], model, agent


def given(events):
    return [event.advice for event in events if isinstance(event, e.AdviceGiven)]


def actions(request):
    return [branch["properties"]["action"]["const"] for branch in request.schema["anyOf"]]


async def test_each_decision_is_advised_and_held_to_the_advice():
    events, model, _ = await play("Weigh crate CR-7.", calling("weigh_crate", crate_id="CR-7"), answering("12 kg."))
    first, second = given(events)
    assert first.tools == ("weigh_crate",)
    assert actions(model.requests[0]) == ["weigh_crate"]
    branch = model.requests[0].schema["anyOf"][0]
    assert branch["properties"]["args"]["properties"]["crate_id"] == {"enum": ["CR-7"]}
    assert "answer" in actions(model.requests[1])
    assert second.answers
    assert model.requests[0].system == model.requests[1].system
    assert events[-1].status == "completed"


async def test_the_model_reads_the_advice_after_the_question():
    _, model, _ = await play("Weigh crate CR-7.", calling("weigh_crate", crate_id="CR-7"), answering("12 kg."))
    question, hint = model.told[0]
    assert question == "Weigh crate CR-7."
    assert hint.startswith("Hint: `weigh_crate` with crate_id 'CR-7'")
    assert model.told[1][:2] == [question, hint]


async def test_where_a_value_is_missing_only_an_answer_can_be_decided():
    events, model, _ = await play("How heavy is my crate?", answering("Which crate do you mean?"))
    assert actions(model.requests[0]) == ["answer"]
    assert given(events)[0].asks == ("crate_id",)


async def test_a_made_up_name_is_sent_back_once_and_the_trace_says_why():
    events, model, _ = await play(
        "What is on Marko's mind?", calling("sunrise", city="Lisbon"), answering("In which city?")
    )
    assert actions(model.requests[0]) == ["sunrise", "answer"]
    replies = [event for event in events if isinstance(event, e.ModelResponded)]
    assert replies[0].decision.refused
    assert "nobody said" in replies[0].decision.complaint
    assert actions(model.requests[1]) == ["answer"]
    assert not [event for event in events if isinstance(event, e.ToolCalled)]


async def test_other_models_are_not_advised():
    events, model, _ = await play("Weigh crate CR-7.", "12 kg.", abilities=None)
    assert not given(events)
    assert model.requests[0].schema is None


async def test_an_advised_turn_replays_without_a_difference():
    events, _, agent = await play(
        "Weigh crate CR-7.",
        calling("weigh_crate", crate_id="CR-7"),
        calling("weigh_crate", crate_id="CR-7"),
        answering("12 kg."),
    )
    refused = [event for event in events if isinstance(event, e.ModelResponded) and event.decision.refused]
    assert len(refused) == 1
    durable = [event for event in events if type(event) not in e.TRANSIENT]
    report = await replay(durable, agent)
    assert report.differences == ()
    assert report.compared > 5


async def test_a_fork_is_advised_anew():
    events, _, _ = await play("Weigh crate CR-7.", calling("weigh_crate", crate_id="CR-7"), answering("12 kg."))
    durable = [event for event in events if type(event) not in e.TRANSIENT]
    kept = fork(durable, step=2, new_id="t2", session_id="s2")
    assert isinstance(kept[-1], e.ToolReturned)
    assert len(given(kept)) == 1
    changed = fork(durable, step=1, new_id="t3", session_id="s3", edits={"question": "Weigh CR-8."})
    assert not given(changed)


def deltas(events):
    return [event for event in events if isinstance(event, e.TextDelta)]


async def test_an_answer_with_a_figure_from_nowhere_is_a_draft_that_is_sent_back_and_never_given():
    events, model, agent = await play(
        "Weigh crate CR-7.",
        calling("weigh_crate", crate_id="CR-7"),
        answering("It weighs 981.4 kg."),
        answering("It weighs 12 kg."),
    )
    first, second = [event for event in events if isinstance(event, e.ModelResponded)][1:]
    assert first.decision.refused
    assert "981.4" in first.decision.complaint
    assert first.decision.answer is None
    assert all(event.draft for event in deltas(events))
    assert "981.4" in "".join(event.text for event in deltas(events) if event.block == first.block)
    given_answer = next(event for event in events if isinstance(event, e.AnswerGiven))
    assert given_answer.text == "It weighs 12 kg."
    assert given_answer.block == second.block != first.block
    assert any("981.4" in told for told in model.told[2])
    report = await replay([event for event in events if type(event) not in e.TRANSIENT], agent)
    assert report.differences == ()


async def test_the_same_figure_again_is_given_since_nothing_is_sent_back_twice_in_a_row():
    events, _, _ = await play(
        "Weigh crate CR-7.", calling("weigh_crate", crate_id="CR-7"), *[answering("It weighs 981.4 kg.")] * 2
    )
    refused = [event.decision.refused is not None for event in events if isinstance(event, e.ModelResponded)]
    assert refused == [False, True, False]
    assert events[-1].status == "completed"


async def test_a_turn_that_is_cancelled_after_a_draft_was_sent_back_does_not_keep_it():
    model = Listening(
        [calling("weigh_crate", crate_id="CR-7"), answering("It weighs 981.4 kg."), answering("12 kg.")], SMALL
    )
    agent = Agent(model, [weigh_crate, sunrise])
    stream = agent.stream("Weigh crate CR-7.")
    async for event in stream:
        if isinstance(event, e.ModelResponded) and event.decision.refused:
            break
    await stream.aclose()
    assert stream.events[-1].status == "cancelled"
    assert not [event for event in stream.events if isinstance(event, e.AnswerGiven)]


async def test_answers_of_models_that_are_not_advised_stream_as_before():
    events, _, _ = await play("Weigh crate CR-7.", "12 kg.", abilities=Abilities(native_tools=False))
    assert deltas(events)
    assert not given(events)
