"""Tuning on a tiny random model: what is packed counts as separate sequences, and the adapter learns and survives."""

import io
import itertools

import pytest

torch = pytest.importorskip("torch", reason="pip install torch")

from training.tuning.decode import generate  # noqa: E402
from training.tuning.fit import Plan, Row, batches, fit, loss_of  # noqa: E402
from training.tuning.gguf_file import read_adapter, write_adapter  # noqa: E402
from training.tuning.packing import Tree, pack  # noqa: E402
from training.tuning.qwen import TARGETS, Qwen, Shape, tree_mask  # noqa: E402

WIDTH, VOCABULARY = 32, 151_644
SIZES = {"attn_q": (32, 32), "attn_k": (16, 32), "attn_v": (16, 32), "attn_output": (32, 32)}
SIZES |= {"ffn_gate": (48, 32), "ffn_up": (48, 32), "ffn_down": (32, 48)}


def tiny(rank=4):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    weights = {"token_embd.weight": torch.randn(VOCABULARY, WIDTH) * 0.1, "output_norm.weight": torch.ones(WIDTH)}
    weights["output.weight"] = weights["token_embd.weight"][:64]
    for number, (name, size) in itertools.product(range(2), SIZES.items()):
        weights[f"blk.{number}.{name}.weight"] = torch.randn(*size) * 0.2
        if name in ("attn_q", "attn_k", "attn_v"):
            weights[f"blk.{number}.{name}.bias"] = torch.randn(size[0]) * 0.1
    for number, name in itertools.product(range(2), ("attn_norm", "ffn_norm")):
        weights[f"blk.{number}.{name}.weight"] = torch.ones(WIDTH)
    return Qwen(weights, Shape(layers=2, width=WIDTH, heads=4, kv_heads=2, epsilon=1e-6, theta=1e6), rank, 8.0)


def sequences(seed=1):
    source = torch.Generator().manual_seed(seed)

    def some(count):
        return torch.randint(0, 64, (count,), generator=source).tolist()

    head = some(12)
    pairs = []
    for _ in range(3):
        prompt, decision = [*head, *some(5)], some(4)
        pairs += [(prompt, decision), ([*prompt, *decision, *some(3)], some(4))]
    return pairs


def packed(pairs):
    tree = Tree()
    for prompt, decision in pairs:
        tree.insert(prompt, decision)
    return pack(tree)


def test_packed_sequences_have_the_loss_of_separate_ones():
    model, pairs = tiny(), sequences()
    with torch.no_grad():
        for block, name in itertools.product(model.blocks, TARGETS):
            block.linear(name).b.normal_(0, 0.1)
        together, count = loss_of(model, [packed(pairs), packed(sequences(2))], "cpu")
        apart = [loss_of(model, [packed([pair])], "cpu") for pair in [*pairs, *sequences(2)]]
    assert count == sum(each[1] for each in apart)
    assert float(together) == pytest.approx(sum(float(each[0]) for each in apart), rel=1e-4)


def test_a_mask_in_blocks_hides_what_the_dense_one_hides():
    model, row = tiny(), Row([packed(sequences()), packed(sequences(2))], 256, "cpu")
    with torch.no_grad():
        dense, blocks = (
            model.hidden(row.ids, row.positions, tree_mask(row.ends, blocks=blocks)) for blocks in (False, True)
        )
    assert torch.allclose(dense, blocks, atol=1e-4)


def test_training_lowers_the_loss_and_the_adapter_survives_its_file(tmp_path):
    model, groups, log = tiny(), [packed(sequences(seed)) for seed in range(4)], io.StringIO()
    told = fit(model, groups, Plan(rate=2e-2, tokens=150, epochs=12, every=1), "cpu", log)
    assert told["curve"][-1][1] < 0.8 * told["curve"][0][1]
    assert told["steps"] == told["of"]
    write_adapter(tmp_path / "tiny.gguf", model.adapter(), name="tiny", alpha=8.0)
    other = tiny()
    prompts = [prompt for prompt, _ in sequences(0)]
    before = generate(other, prompts, -1, most=6)
    other.load_adapter(read_adapter(tmp_path / "tiny.gguf")[1])
    assert generate(other, prompts, -1, most=6) == generate(model, prompts, -1, most=6) != before


def test_dropout_is_for_training_alone():
    model, group = tiny(), packed(sequences())
    with torch.no_grad():
        for block, name in itertools.product(model.blocks, TARGETS):
            block.linear(name).b.normal_(0, 0.5)
        plain = float(loss_of(model.eval(), [group], "cpu")[0])
        model.leave_out(0.5)
        assert float(loss_of(model, [group], "cpu")[0]) == plain
        model.train()
        assert len({float(loss_of(model, [group], "cpu")[0]) for _ in range(4)} - {plain}) > 1


def test_an_adapter_without_weight_leaves_the_model_as_it_was():
    model, prompts = tiny(), [prompt for prompt, _ in sequences()]
    before = generate(model, prompts, -1, most=6)
    with torch.no_grad():
        for block, name in itertools.product(model.blocks, TARGETS):
            block.linear(name).b.normal_(0, 0.5)
    assert generate(model, prompts, -1, most=6) != before
    model.rescale(0.0)
    assert generate(model, prompts, -1, most=6) == before


def test_training_stops_when_its_time_is_up():
    ticks = iter(range(100))
    told = fit(
        tiny(), [packed(sequences())] * 8, Plan(tokens=60, seconds=5.0), "cpu", io.StringIO(), lambda: next(ticks)
    )
    assert told["steps"] < told["of"]


def test_prompts_of_different_lengths_are_decoded_as_if_alone():
    model, prompts = tiny(), [prompt for prompt, _ in sequences()]
    assert generate(model, prompts, 3, most=5) == [generate(model, [prompt], 3, most=5)[0] for prompt in prompts]


def test_a_row_has_at_most_so_many_tokens():
    import numpy

    groups = [packed(sequences(seed)[: 2 + seed % 4]) for seed in range(30)]
    made = batches(groups, 200, numpy.random.default_rng(0))
    assert sorted(number for batch in made for number in batch) == list(range(30))
    assert all(len(batch) == 1 or sum(len(groups[number]) for number in batch) <= 200 for batch in made)
    assert len(made) <= 1.3 * sum(map(len, groups)) / 200
