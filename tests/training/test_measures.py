"""Reports with totals: the answer has exactly the measures asked for, from the line or row that tells them."""

import re

from training.data.conversation import Conversation, Group
from training.data.requests import examples_of
from training.data.talks.measures import MeasureReport, read_areas
from training.data.values import Rng


def talks(count: int = 120):
    for seed in range(count):
        rng = Rng(seed)
        report = MeasureReport(rng, rng.some(read_areas()))
        yield report, report.talk()


def test_every_area_has_measures_in_three_languages():
    for area in read_areas():
        assert len(area.measures) >= 4
        assert all(each.asked and each.german and each.chinese for each in area.measures)


def test_the_sums_of_the_rows_are_the_totals_and_the_answer_quotes_them():
    seen = set[str]()
    for report, made in talks():
        for exchange in made.exchanges:
            call, answer = exchange.steps
            figures = re.findall(r"\d[\d,]*\.?\d*", answer.text.rstrip("."))
            plain = call.observation.replace(",", "")
            assert figures
            assert all(figure.replace(",", "").rstrip(".") in plain for figure in figures)
            grouped = report.group in call.args
            seen.add("grouped" if grouped else "total")
            if not grouped:
                assert answer.thought.startswith("Totals: ")
                assert 1 <= len(figures) <= 2
    assert seen == {"grouped", "total"}


def test_only_what_is_said_is_passed():
    for report, made in talks(60):
        if made.language != "en":
            continue
        call = made.exchanges[0].steps[0]
        question = made.exchanges[0].question
        assert set(call.args) <= {report.period, report.group, report.place}
        if report.place in call.args:
            assert call.args[report.place].lower() in question.lower()
        if report.group in call.args and "only" not in question:
            assert call.args[report.group] in question


def test_the_engine_plays_nearly_all_of_them():
    wanted = played = 0
    for report, made in talks(40):
        wanted += sum(len(exchange.steps) for exchange in made.exchanges)
        played += len(examples_of(Group("", (report.tool.text,), (Conversation("m", made.exchanges),), 8)))
    assert played >= wanted * 0.95
