"""Packed sequences: beginnings are stored once, and every sequence can be read back."""

import numpy as np
from training.tuning.packing import Tree, load, pack, save, shared

HEAD = list(range(100, 150))
PAIRS = [
    ([*HEAD, 1, 2], [7, 8, 9]),
    ([*HEAD, 1, 2, 7, 8, 9, 5, 5], [6, 6]),
    ([*HEAD, 1, 3], [7, 8, 4]),
    ([*HEAD[:20], 3], [4]),
]


def packed():
    tree = Tree()
    for prompt, decision in PAIRS:
        tree.insert(prompt, decision)
    return pack(tree)


def paths(group):
    """Every sequence from the root to a leaf, with its learned flags and positions."""
    starts = np.concatenate([[0], np.cumsum(group.lengths)])
    for leaf in set(range(len(group.parents))) - set(group.parents.tolist()):
        chain, node = [], leaf
        while node >= 0:
            chain.insert(0, node)
            node = int(group.parents[node])
        where = np.concatenate([np.arange(starts[each], starts[each + 1]) for each in chain])
        yield group.ids[where].tolist(), group.learned[where].tolist(), group.position[where].tolist()


def test_shared_beginnings_are_stored_once():
    group = packed()
    assert len(group) < sum(len(prompt) + len(decision) for prompt, decision in PAIRS) / 2
    assert group.ids.tolist().count(100) == 1


def test_every_sequence_is_read_back_with_positions_from_zero():
    found = {tuple(ids): (learned, places) for ids, learned, places in paths(packed())}
    assert set(found) == {(*prompt, *decision) for prompt, decision in PAIRS[1:]}
    assert all(places == list(range(len(ids))) for ids, (_, places) in found.items())


def test_what_was_learned_first_stays_learned_where_a_later_request_repeats_it():
    found = {tuple(ids): learned for ids, learned, _ in paths(packed())}
    learned = found[(*HEAD, 1, 2, 7, 8, 9, 5, 5, 6, 6)]
    assert [place for place, flag in enumerate(learned) if flag] == [52, 53, 54, 57, 58]


def test_a_token_sees_the_tokens_of_its_own_sequence_alone():
    group = packed()
    places, ends = np.arange(len(group)), group.subtree_end
    seen = (places[:, None] >= places) & (places[:, None] < ends)
    for place in range(len(group)):
        own = np.flatnonzero(seen[place])
        assert group.position[own].tolist() == list(range(len(own)))
        assert own[-1] == place
        assert len(own) < 2 or own[-2] == group.before[place]


def test_groups_survive_their_file(tmp_path):
    groups = [packed(), packed()]
    save(tmp_path / "some.npz", groups)
    for before, after in zip(groups, load(tmp_path / "some.npz"), strict=True):
        for name in ("ids", "learned", "lengths", "parents"):
            assert getattr(before, name).tolist() == getattr(after, name).tolist()


def test_the_common_beginning_of_two_sequences_is_counted():
    assert shared([1, 2, 3], [1, 2, 4]) == 2
    assert shared([1, 2], [1, 2, 4]) == 2
    assert shared([5], [1]) == 0
