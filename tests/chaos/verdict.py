"""What must be true of every turn, whatever happened to those who ran it."""

from collections import Counter

from chaos.assistant import ASKED, CHILDREN, IDEMPOTENT, READS, answer_to, steps_of
from chaos.worker import fingerprint
from glassloop.core import events as e


async def verify(runtime, diary, questions):
    """Nothing lost, nothing doubled, nothing made up; gives the logs of the turns, by session."""
    assert (await runtime.store.maintenance.check()).problems == ()
    logs = {}
    for session_id, question in questions.items():
        (turn_id,) = await runtime.store.turns.ids(session_id)
        logs[session_id] = events = await runtime.store.turns.read(turn_id)
        check_log(events)
        check_work(events, question)
        check_usage(events)
        assert (await runtime.turn(turn_id)).status == events[-1].status
        report = await runtime.replay(turn_id)
        assert not report.differences, report
    by_turn = {events[0].turn_id: events for events in logs.values()}
    check_promises(by_turn, diary.published())
    check_effects({log[0].turn_id: log for events in by_turn.values() for log in tree_of(events)}, diary.done())
    return logs


def tree_of(events):
    """The log of a turn and those of all turns below it."""
    logs = {}
    for event in of_kind(events, e.ChildRecorded):
        logs.setdefault(event.call_id, []).append(event.event)
    return [events, *(log for child in logs.values() for log in tree_of(child))]


def check_usage(events):
    """Every model call in the tree counts once, in each turn above it."""
    for log in tree_of(events):
        replies = [told for event in log if isinstance(told := e.innermost(event), e.ModelResponded)]
        assert log[-1].input_tokens == sum(reply.usage.input_tokens for reply in replies)
        assert log[-1].output_tokens == sum(reply.usage.output_tokens for reply in replies)


def of_kind(events, kind):
    return [event for event in events if isinstance(event, kind)]


def check_log(events):
    """From its beginning to its one end without a gap, every call with its one result."""
    assert isinstance(events[0], e.TurnStarted)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.seq for event in of_kind(events, e.TurnFinished)] == [len(events)]
    called = {event.call.id for event in of_kind(events, e.ToolCalled)}
    returned = Counter(event.call_id for event in of_kind(events, e.ToolReturned))
    assert called <= returned.keys()
    assert set(returned.values()) <= {1}
    epochs = [event.epoch for event in of_kind(events, e.TurnClaimed)]
    if events[0].parent_turn_id is None:
        assert epochs == list(range(1, len(epochs) + 1))
    for child in tree_of(events)[1:]:
        check_log(child)


def check_work(events, question):
    """The model got its steps, each once, and answered."""
    replies = of_kind(events, e.ModelResponded)
    wanted = steps_of(question)
    assert [[call.tool for call in reply.decision.calls] for reply in replies] == [*wanted, []]
    assert events[-1].status == "completed", events[-1]
    assert events[-1].iterations == len(wanted) + 1
    for child in tree_of(events)[1:]:
        check_work(child, child[0].question)
    (answer,) = of_kind(events, e.AnswerGiven)
    assert answer.text.strip() == answer_to(question)


def check_promises(logs, published):
    """What was published is in the log, as it was."""
    for turn_id, seq, sha in published:
        events = logs[turn_id]
        assert int(seq) <= len(events), f"event {seq} of turn {turn_id} was published and is lost"
        assert fingerprint(events[int(seq) - 1]) == sha, f"event {seq} of turn {turn_id} was published as another"


def check_effects(logs, done):
    """An effect ran as often as the log says it was begun, and that is once unless a person wanted it again."""
    begun = Counter(key for what, key, _ in done if what == "begun")
    did = Counter(key for what, key, _ in done if what == "did")
    known = set()
    for turn_id, events in logs.items():
        again = Counter(event.call_id for event in of_kind(events, e.ApprovalDecided) if event.approved)
        intents = Counter(event.call.id for event in of_kind(events, e.ToolCalled))
        tools = {call.id: call.tool for x in of_kind(events, e.ModelResponded) for call in x.decision.calls}
        results = {event.call_id: event.result for event in of_kind(events, e.ToolReturned)}
        for call_id, tool in tools.items():
            if tool in READS or tool in CHILDREN:
                continue
            key = f"{turn_id}:{call_id}"
            known.add(key)
            assert did[key] <= begun[key] <= intents[call_id], f"{key} ran without its intent in the log"
            if tool not in IDEMPOTENT:
                allowed = again[call_id] + (tool not in ASKED)
                assert intents[call_id] <= allowed, f"{key} ran more often than anybody wanted"
            if results[call_id].success:
                assert did[key] >= 1, f"{key} is said to be done and is not"
            elif results[call_id].never_ran:
                assert did[key] == 0, f"{key} is said not to have run and did"
    assert begun.keys() <= known, f"effects that no log knows: {begun.keys() - known}"
