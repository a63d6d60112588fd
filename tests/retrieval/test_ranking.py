"""Scores to an order, and the order to passages."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import UsageError
from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.backends.backend import ResultLimits
from glassloop.retrieval.index.sources import ChunkRow
from glassloop.retrieval.query.passage_budget import fit_budget
from glassloop.retrieval.query.query_parser import Synonyms, parse_query
from glassloop.retrieval.query.search_query import Candidate, ScoreWeights, rank


def order(lexical, cosines, unspaced=None, question=0.0, weights=None):
    plain = dict.fromkeys(lexical | cosines, 0.0)
    return rank(lexical, 10.0, cosines, plain | (unspaced or {}), question, weights or ScoreWeights())


def test_what_both_find_comes_before_what_one_finds():
    found = order({1: 9.0, 2: 8.0}, {2: 0.6, 3: 0.6, 1: 0.1})
    assert [(each.chunk, each.why) for each in found] == [(2, "both"), (3, "dense"), (1, "lexical")]


def test_the_weights_decide_between_words_and_meaning():
    lexical, cosines = {1: 9.0, 2: 1.0}, {1: 0.1, 2: 0.6}
    assert order(lexical, cosines)[0].chunk == 2
    assert order(lexical, cosines, weights=ScoreWeights(dense=0.2, sparse=0.8))[0].chunk == 1


def test_meaning_hardly_counts_for_a_chinese_question_or_a_chinese_passage():
    lexical, cosines = {1: 9.0, 2: 3.0}, {1: 0.1, 2: 0.6}
    assert order(lexical, cosines, question=1.0)[0].chunk == 1
    assert order(lexical, cosines, unspaced={1: 1.0, 2: 1.0})[0].chunk == 1


def test_relevance_does_not_depend_on_the_other_candidates():
    alone = order({1: 4.0}, {1: 0.4})[0]
    among = next(each for each in order({1: 4.0, 2: 9.0}, {1: 0.4, 2: 0.9}) if each.chunk == 1)
    assert alone.relevance == among.relevance
    assert alone.score != among.score


@given(st.floats(0, 1), st.floats(-1, 1), st.floats(0, 1))
def test_relevance_lies_between_0_and_1_and_grows_with_both(coverage, cosine, more):
    (one,) = order({1: 10 * coverage}, {1: cosine})
    (other,) = order({1: 10 * min(1.0, coverage + more)}, {1: min(1.0, cosine + more)})
    assert 0 <= one.relevance <= other.relevance <= 1


@pytest.mark.parametrize(("dense", "sparse"), [(0, 0), (-1, 2)])
def test_weights_that_make_no_order_are_refused(tmp_path, dense, sparse):
    with pytest.raises(UsageError, match="weights"):
        Library(tmp_path, dense_weight=dense, sparse_weight=sparse)


def row(number, text, document=1, ordinal=None, overlap=0):
    place = number if ordinal is None else ordinal
    return ChunkRow(
        number, document, place, ("A",), text, place, place, 0, overlap, (len(text) + 3) // 4, 0.0, f"{document}.md",
        "", "", 1,
    )  # fmt: skip


def packed(rows, best, **asked):
    candidates = [
        Candidate(chunk=chunk, score=1 - 0.01 * place, relevance=0.9, why="both") for place, chunk in enumerate(best)
    ]
    wanted = ResultLimits(**({"max_results": 10, "min_relevance": 0.0, "token_budget": 1000} | asked))
    return fit_budget(candidates, {each.id: each for each in rows}, wanted)


def test_the_same_text_is_shown_once_with_the_names_of_the_others():
    rows = [row(1, "The heron waits."), row(2, "The  Heron waits.", document=2), row(3, "Rain.", document=3)]
    found = packed(rows, [2, 1, 3])
    assert [(each.document, each.also) for each in found] == [("2.md", ("1.md",)), ("3.md", ())]


def test_neighbours_become_one_passage_where_the_best_of_them_stood():
    rows = [row(1, "One."), row(2, "Two."), row(3, "Two. Three.", overlap=5), row(9, "Far.")]
    found = packed(rows, [3, 9, 1, 2])
    assert [each.text for each in found] == ["One.\nTwo. Three.", "Far."]
    assert (found[0].first_line, found[0].last_line) == (1, 3)


def test_the_budget_is_filled_with_the_best_that_fit():
    rows = [row(1, "a" * 400), row(5, "b" * 4000), row(9, "c" * 400), row(13, "d" * 400)]
    found = packed(rows, [1, 5, 9, 13], token_budget=210)
    assert [each.text[0] for each in found] == ["a", "c"]
    assert sum(each.tokens for each in found) <= 210


def test_no_more_passages_than_were_asked_for():
    assert len(packed([row(2 * number, f"text {number}") for number in range(9)], range(0, 18, 2), max_results=3)) == 3


@given(st.lists(st.integers(0, 12), unique=True), st.integers(0, 60))
def test_passages_never_overlap_and_never_exceed_the_budget(best, budget):
    rows = [row(number, f"Sentence number {number}.") for number in range(13)]
    found = packed(rows, best, token_budget=budget)
    lines = [line for each in found for line in range(each.first_line, each.last_line + 1)]
    assert len(lines) == len(set(lines))
    assert sum(count for count in (each.tokens for each in found)) <= budget + len(lines)


MOULDING = {"披锋": ["飞边", "毛边", "flash"], "拉白": ["顶白", "应力发白"], "模具": ["模仁"]}


@pytest.mark.parametrize("asked", ["披锋怎么处理", "飞边", "flash", "Flash on the part"])
async def test_every_synonym_finds_what_any_of_them_says(tmp_path, asked):
    async with Library(tmp_path, synonyms=MOULDING) as library:
        index = library.index("kb", make=True)
        await index.add(
            [
                DocumentSource(name="a.md", text="边缘出现毛边时检查锁模力。"),
                DocumentSource(name="b.md", text="原料须烘干。"),
            ]
        )
        found = await library.search(asked, index="kb")
        assert [each.document for each in found] == ["a.md"]


@pytest.mark.parametrize("word", ["披锋", "拉白", "模具"])
async def test_short_chinese_words_are_found_without_synonyms(tmp_path, word):
    async with Library(tmp_path) as library:
        index = library.index("kb", make=True)
        await index.add(
            [
                DocumentSource(name="a.md", text=f"产品出现{word}的时候要停机。"),
                DocumentSource(name="b.md", text="原料须烘干。"),
            ]
        )
        found = await library.search(word, index="kb", min_relevance=0.5)
        assert [(each.document, each.why) for each in found] == [("a.md", "lexical")]


def test_a_word_inside_another_word_has_no_synonyms():
    assert parse_query("flashback", Synonyms(MOULDING)).groups == parse_query("flashback", Synonyms()).groups


@given(st.text(), st.dictionaries(st.text(max_size=5), st.lists(st.text(max_size=5), max_size=3), max_size=4))
def test_no_question_and_no_list_make_asking_raise(question, lists):
    assert all(all(group) for group in parse_query(question, Synonyms(lists)).groups)


@pytest.mark.slow
async def test_words_of_replaced_documents_count_no_more(kept):
    """As in an index that never had them; what is left is how long passages are on average."""
    words = [f"w{number}" for number in range(40)]

    def text(seed, more=""):
        chosen = random.Random(seed).choices(words, weights=[1 / (place + 1) for place in range(40)], k=25)
        return f"{' '.join(chosen)}{more}"

    final = [DocumentSource(name=f"{number}.md", text=text(number)) for number in range(60)]
    before = [DocumentSource(name=f"{number}.md", text=text(number + 1_000, " w30 zebra")) for number in range(30)]
    async with kept() as library:
        fresh, changed = library.index("fresh", make=True), library.index("changed", make=True)
        await fresh.add(final)
        await changed.add([*before, *final[30:]])
        for begin in (0, 10, 20):
            await changed.add(final[begin : begin + 10])
        for question in ("w30", "w30 w2", "w5 w20 w35", "zebra w20"):
            one, other = [await library.search(question, index=name, max_results=100) for name in ("fresh", "changed")]
            left = {each.document: each.relevance for each in one}
            right = {each.document: each.relevance for each in other}
            assert left.keys() == right.keys(), question
            assert right == pytest.approx(left, abs=0.02), question


async def test_sections_that_are_joined_stand_under_their_headings(tmp_path):
    text = "# Guide\n\n## Allowances\n\nPortugal: 36 EUR a day.\n\n## Hotels\n\nPortugal: 145 EUR a night.\n"
    async with Library(tmp_path) as library:
        await library.index("guide", make=True).add([DocumentSource(name="guide.md", text=text)])
        (found,) = await library.search("Portugal EUR", index="guide")
    assert found.headings == ("Guide",)
    assert found.text == "## Allowances\nPortugal: 36 EUR a day.\n## Hotels\nPortugal: 145 EUR a night."
