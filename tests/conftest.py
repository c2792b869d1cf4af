"""What all tests share: a cache of their own, no keys from outside, stand-ins for the models, and stores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from neo4j_fixtures import (  # noqa: F401 - fixtures
    arcadedb_address,
    arcadedb_running,
    neo4j_address,
    neo4j_folder,
    neo4j_running,
)
from stand_ins import FLOOD, OpenKb, SentenceExtractor, WordEmbedder, WriteFiles

from graphrag.knowledge_base import KnowledgeBase
from graphrag.settings import Settings

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "examples" / "corpus"


@pytest.fixture(scope="session", autouse=True)
def isolated_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No setting, key or cache of whoever runs the tests; gives the cache of this run."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("OPENAI_", "CLEW_", "NEO4J_")) and name not in ("CLEW_SOAK", "CLEW_BENCH_DATA"):
                patch.delenv(name)
        patch.setenv("CLEW_CACHE", str(cache))
        yield cache


@pytest.fixture
def embedder() -> WordEmbedder:
    """A stand-in embedder that counts what it embeds."""
    return WordEmbedder()


@pytest.fixture
def extractor() -> SentenceExtractor:
    """A stand-in extractor that counts what it extracts from."""
    return SentenceExtractor()


@pytest.fixture
def open_kb(tmp_path: Path, embedder: WordEmbedder, extractor: SentenceExtractor) -> Iterator[OpenKb]:
    """Opens knowledge bases with the stand-ins, below ``tmp_path``; they are closed at the end."""
    opened: list[KnowledgeBase] = []

    def make(name: str = "store", **options: Any) -> KnowledgeBase:
        settings = Settings(cache=tmp_path / "cache", **options.pop("set", {}))
        parts = {"embedder": embedder, "extractor": extractor, "settings": settings, **options}
        opened.append(KnowledgeBase.open(tmp_path / name, **parts))
        return opened[-1]

    yield make
    for kb in opened:
        kb.close()


@pytest.fixture
def kb(open_kb: OpenKb) -> KnowledgeBase:
    """An empty knowledge base with the stand-ins."""
    return open_kb()


@pytest.fixture
def files(tmp_path: Path) -> WriteFiles:
    """Writes files into a folder below ``tmp_path``, by default the story of the flood into ``notes``."""

    def write(contents: Mapping[str, str | bytes] = FLOOD, folder: str = "notes") -> Path:
        root = tmp_path / folder
        root.mkdir(exist_ok=True)
        for name, content in contents.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return root

    return write


@pytest.fixture(scope="session")
def corpus_kb(tmp_path_factory: pytest.TempPathFactory, isolated_environment: Path) -> Iterator[KnowledgeBase]:
    """The example documents, ingested with the real models; read it, and write nothing to it."""
    folder = tmp_path_factory.mktemp("corpus") / "corpus.clew"
    with KnowledgeBase.open(folder) as kb:
        report = kb.ingest([CORPUS])
        assert not report.failed, report
        yield kb
