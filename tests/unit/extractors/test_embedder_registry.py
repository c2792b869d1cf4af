"""Opening an embedder by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors import embedders
from extractors.embedders import CachedEmbedder, E5Embedder, OpenAIEmbedder, UniversalSentenceEmbedder, open_embedder
from extractors.embedders import registry as registry_module
from extractors.embedders.e5 import e5_is_available
from extractors.embedders.use import use_is_available
from storage.errors import ClewError, ConfigurationError, MissingExtraError
from storage.ports import Embedder

needs_e5 = pytest.mark.skipif(not e5_is_available(), reason="e5 is not installed")
needs_use = pytest.mark.skipif(not use_is_available(), reason="use is not installed")


@needs_e5
def test_auto_is_e5_where_it_is_installed() -> None:
    assert isinstance(open_embedder("auto", cache_dir=None), E5Embedder)
    assert isinstance(open_embedder("e5", cache_dir=None), E5Embedder)


@needs_use
def test_auto_falls_back_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "e5_is_available", lambda: False)
    assert isinstance(open_embedder("auto", cache_dir=None), UniversalSentenceEmbedder)
    monkeypatch.setattr(registry_module, "use_is_available", lambda: False)
    with pytest.raises(ConfigurationError, match="No offline embedder"):
        open_embedder("auto", cache_dir=None)


@needs_e5
def test_a_cache_folder_puts_a_cache_before_it(tmp_path: Path) -> None:
    opened = open_embedder("e5", cache_dir=tmp_path)
    assert isinstance(opened, CachedEmbedder)
    assert isinstance(opened, Embedder)
    assert (opened.name, opened.dimensions) == (E5Embedder().name, 384)
    first = opened.embed(["a"], "query")
    assert (tmp_path / registry_module.CACHE_FILE).is_file()
    assert first.tobytes() == E5Embedder().embed(["a"], "query").tobytes()


def test_openai_takes_model_key_and_address() -> None:
    pytest.importorskip("openai")
    opened = open_embedder(
        "openai:org/model:v2", cache_dir=None, openai_api_key="k", openai_base_url="http://localhost:1/v1"
    )
    assert isinstance(opened, OpenAIEmbedder)
    assert opened.name == "openai:org/model:v2@localhost:1/v1"
    opened._server.client.close()


@pytest.mark.parametrize("spec", ["", "e6", "openai", "openai:", "onnx:", "use:x"])
def test_an_unknown_name_lists_the_choices(spec: str) -> None:
    with pytest.raises(ConfigurationError, match=r"auto .*e5 .*use .*openai:MODEL .*onnx:FOLDER"):
        open_embedder(spec, cache_dir=None)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClewError, match="absent"):
        open_embedder(f"onnx:{tmp_path / 'absent'}", cache_dir=None)


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"clew\[openai\]"):
        open_embedder("openai:m", cache_dir=None, openai_api_key="k")


def test_the_public_names_are_these() -> None:
    assert sorted(embedders.__all__) == [
        "CachedEmbedder",
        "E5Embedder",
        "EMBEDDER_CHOICES",
        "OnnxFolderEmbedder",
        "OpenAIEmbedder",
        "UniversalSentenceEmbedder",
        "open_embedder",
        "setting_of",
    ]
    assert all(hasattr(embedders, name) for name in embedders.__all__)
