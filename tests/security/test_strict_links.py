"""With ``isolation = strict`` the wording of a document links no two statements: a link follows from their keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from access_faces import OpenStore
from stand_ins import WordEmbedder

from graphrag import Document
from graphrag.same_as import CALIBRATED_EMBEDDER
from storage.ports import Side, Vector
from storage.records import OWNER


class Alike(WordEmbedder):
    """An embedder to which all that names a florb or a glorb is one, and nothing else is near it."""

    @property
    def name(self) -> str:
        return f"{CALIBRATED_EMBEDDER}stand-in"

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        vectors = super().embed(texts, side)
        for row, text in zip(vectors, texts, strict=True):
            if "lorb" in text:
                row[:] = np.eye(1, len(row), dtype=np.float32)[0]
        return vectors


@pytest.mark.parametrize(("isolation", "links"), [("shared", 1), ("strict", 0)])
def test_only_a_shared_index_links_by_the_vectors_of_mentions(
    open_store: OpenStore, isolation: str, links: int
) -> None:
    kb = open_store(embedder=Alike(), isolation=isolation)
    kb.ingest(
        [Document(id="one", text="The florb causes the wump."), Document(id="two", text="A glorb causes a mist.")]
    )
    graph = kb._stores.graph
    assert graph.counts(graph.scope(OWNER)).same_as == links
