"""Everyday things to do: reminders, appointments, messages, notes; and what a handbook says."""

from training.data.catalogue import Tool
from training.data.conversation import Answer, Call, Language
from training.data.days import clock, coming_day, say_time
from training.data.talks.task import Task, args_of
from training.data.values import SUBJECTS, Rng, dumps, person


def remind(rng: Rng, tool: Tool, language: Language) -> Task:
    (when, said), time, number = coming_day(rng), clock(rng), rng.randrange(100, 999)
    what = rng.some(["call the bank", "water the plants", "pay the rent", "send the offer", "check the boiler"])
    question = rng.some(
        [
            f"Remind me to {what} {said} at {say_time(rng, time)}.",
            f"{said[:1].upper() + said[1:]} at {say_time(rng, time)} I have to {what}, remind me.",
        ]
    )
    call = Call(
        "The user wants a reminder.",
        tool.name,
        args_of(tool, what, when, time),
        rng.some([dumps({"reminder": number}), f"Reminder {number} set for {when} {time}."]),
    )
    return Task(question, call, Answer("It is set.", f"I will remind you on {when} at {time} to {what}."))


def appointment(rng: Rng, tool: Tool, language: Language) -> Task:
    (when, said), time, what, number = coming_day(rng), clock(rng), rng.some(SUBJECTS), rng.randrange(100, 999)
    minutes = rng.some([None, None, 30, 45, 60, 90])
    lasting = f" for {minutes} minutes" if minutes else ""
    question = rng.some(
        [
            f"Put a {what} into the diary {said} at {say_time(rng, time)}{lasting}.",
            f"Book a {what} {said}, {say_time(rng, time)}{lasting}.",
        ]
    )
    call = Call(
        "The user wants an appointment.",
        tool.name,
        args_of(tool, what, when, time, minutes),
        dumps({"entry": f"D-{number}"}),
    )
    return Task(question, call, Answer("It is planned.", f"The {what} is planned for {when} at {time} (D-{number})."))


def message(rng: Rng, tool: Tool, language: Language) -> Task:
    to = person(rng)
    text = rng.some(
        [
            "The meeting is moved to Friday.",
            "Please call me back.",
            "The parts have arrived.",
            "I will be ten minutes late.",
        ]
    )
    question = rng.some(
        [f"Write to {to}: {text}", f"Send {to} this message: {text}", f'Please let {to} know: "{text}"']
    )
    return Task(
        question,
        Call(
            f"The user wants to write to {to}.",
            tool.name,
            args_of(tool, to, text),
            rng.some([dumps({"sent": True}), "Sent."]),
        ),
        Answer("It was sent.", f"The message to {to} was sent."),
    )


def handbook(rng: Rng, tool: Tool, language: Language) -> Task:
    topic, text = rng.some(
        [
            ("parking", "Staff park on level 2; visitors on level 0."),
            ("lost keys", "Lost keys are reported at the front desk within 24 hours."),
            ("the dress code", "Safety shoes are needed in the workshop."),
            ("the guest wifi", "The guest network is called Lobby; the code changes on Mondays."),
            ("travel costs", "Train tickets are paid back in second class up to 180 euros."),
        ]
    )
    question = rng.some(
        [
            f"What does the handbook say about {topic}?",
            f"Is there anything written about {topic}?",
            f"What are our rules for {topic}?",
        ]
    )
    call = Call(
        f"The documents may say it: {topic}.",
        tool.name,
        args_of(tool, topic.removeprefix("the ")),
        rng.some([text, dumps([{"title": topic.capitalize(), "text": text}])]),
    )
    return Task(question, call, Answer("The passage says it.", text))


def note(rng: Rng, tool: Tool, language: Language) -> Task:
    text = rng.some(
        [
            "The spare key is under the mat",
            "Order more paper",
            "My favourite seat is 14A",
            "The lift inspector comes again in May",
        ]
    )
    question = rng.some([f"Make a note: {text}.", f"Please keep this for later: {text}.", f"Don't forget: {text}."])
    return Task(
        question,
        Call("The user wants this kept.", tool.name, args_of(tool, text), rng.some(["Saved.", dumps({"saved": True})])),
        Answer("It is saved.", "I have saved the note."),
    )
