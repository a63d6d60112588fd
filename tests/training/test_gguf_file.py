"""Adapters as GGUF files, and the vocabulary of a file of weights."""

import numpy as np
import pytest
from training.make_data import chat_text
from training.tuning import gguf_file
from training.tuning.gguf_file import read_adapter, read_metadata, write_adapter
from training.tuning.vocabulary import Vocabulary

from models.embedded.tiny_gguf import TEMPLATE, write_tiny

RNG = np.random.default_rng(4)
TENSORS = {
    "blk.0.attn_q.weight.lora_a": RNG.normal(size=(16, 64)).astype(np.float32),
    "blk.0.attn_q.weight.lora_b": RNG.normal(size=(64, 16)).astype(np.float32),
}


def test_an_adapter_survives_its_file(tmp_path):
    write_adapter(tmp_path / "a.gguf", TENSORS, name="tools", alpha=32.0)
    metadata, tensors = read_adapter(tmp_path / "a.gguf")
    assert metadata == {
        "general.architecture": "qwen2",
        "general.type": "adapter",
        "general.name": "tools",
        "adapter.type": "lora",
        "adapter.lora.alpha": 32.0,
    }
    for name, value in TENSORS.items():
        assert np.array_equal(tensors[name], value.astype(np.float16).astype(np.float32))


def test_a_quantized_adapter_is_smaller_and_near(tmp_path):
    write_adapter(tmp_path / "a.gguf", TENSORS, name="tools", alpha=32.0)
    write_adapter(tmp_path / "q.gguf", TENSORS, name="tools", alpha=32.0, quantized=True)
    assert (tmp_path / "q.gguf").stat().st_size < (tmp_path / "a.gguf").stat().st_size
    tensors = read_adapter(tmp_path / "q.gguf")[1]
    for name, value in TENSORS.items():
        assert np.abs(tensors[name] - value).max() < np.abs(value).max() / 100


def test_the_mean_of_two_adapters_is_one_of_twice_the_rank(tmp_path, monkeypatch):
    a, b = "blk.0.attn_q.weight.lora_a", "blk.0.attn_q.weight.lora_b"
    others = {name: RNG.normal(size=value.shape).astype(np.float32) for name, value in TENSORS.items()}
    write_adapter(tmp_path / "one.gguf", TENSORS, name="one", alpha=32.0)
    write_adapter(tmp_path / "two.gguf", others, name="two", alpha=8.0)
    paths = [str(tmp_path / name) for name in ("one.gguf", "two.gguf", "mean.gguf")]
    monkeypatch.setattr("sys.argv", ["gguf_file", *paths])
    gguf_file.main()
    metadata, tensors = read_adapter(tmp_path / "mean.gguf")
    assert tensors[a].shape == (32, 64)
    made = metadata["adapter.lora.alpha"] / 32 * tensors[b] @ tensors[a]
    wanted = (32 / 16 * TENSORS[b] @ TENSORS[a] + 8 / 16 * others[b] @ others[a]) / 2
    assert np.linalg.norm(made - wanted) < np.linalg.norm(wanted) / 50


def test_a_mean_of_less_rank_keeps_what_is_largest(tmp_path, monkeypatch):
    a, b = "blk.0.attn_q.weight.lora_a", "blk.0.attn_q.weight.lora_b"
    sizes = np.geomspace(1, 1e-4, 16, dtype=np.float32)
    falling = {a: sizes[:, None] * TENSORS[a], b: TENSORS[b]}
    write_adapter(tmp_path / "one.gguf", falling, name="one", alpha=16.0)
    write_adapter(tmp_path / "two.gguf", TENSORS, name="two", alpha=16.0)
    paths = [str(tmp_path / name) for name in ("one.gguf", "two.gguf", "less.gguf")]
    monkeypatch.setattr("sys.argv", ["gguf_file", *paths, "--shares", "0.9", "0", "--rank", "8"])
    gguf_file.main()
    metadata, tensors = read_adapter(tmp_path / "less.gguf")
    assert tensors[a].shape == (8, 64)
    made = metadata["adapter.lora.alpha"] / 8 * tensors[b] @ tensors[a]
    wanted = 0.9 * falling[b] @ falling[a]
    assert np.linalg.norm(made - wanted) < np.linalg.norm(wanted) / 20


def test_zeros_are_quantized_as_zeros(tmp_path):
    write_adapter(tmp_path / "q.gguf", {"z": np.zeros((2, 32), np.float32)}, name="z", alpha=1.0, quantized=True)
    assert not read_adapter(tmp_path / "q.gguf")[1]["z"].any()


def test_another_file_is_refused(tmp_path):
    (tmp_path / "no.gguf").write_bytes(b"PK\3\4" + b"\0" * 40)
    with pytest.raises(ValueError, match="no GGUF file"):
        read_metadata(tmp_path / "no.gguf")


def test_text_becomes_tokens_and_text_again(tmp_path):
    pytest.importorskip("tokenizers")
    vocabulary = Vocabulary(write_tiny(tmp_path / "tiny.gguf"))
    text = chat_text("user", "Grüße, 你好 don't  stop\n\nthe 12.5") + "<|im_start|>assistant\n"
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == text
    assert ids.count(vocabulary.end) == 1
    assert len(ids) < len(text.encode())


def test_messages_are_written_as_the_template_puts_them():
    jinja2 = pytest.importorskip("jinja2")
    messages = [{"role": "system", "content": "Be <b>brief</b>."}, {"role": "user", "content": "Hi {{ you }}"}]
    written = jinja2.Template(TEMPLATE, keep_trailing_newline=True).render(
        messages=messages, add_generation_prompt=True
    )
    assert "".join(chat_text(**message) for message in messages) + "<|im_start|>assistant\n" == written
