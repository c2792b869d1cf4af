"""Follow relations without asking a question: from a statement, to one, between two; then see what proves a link."""

from __future__ import annotations

import tempfile

from graphrag import Document, KnowledgeBase

TEXTS = [
    Document(id="forecast", text="The river froze because the cold spell lasted."),
    Document(id="harbour", text="Because the river froze, the barges were stopped."),
    Document(
        id="works", text="The barges were stopped, so the coal ran out. After the coal ran out, the furnace was shut."
    ),
]


def main() -> None:
    """Explore four texts whose statements form one chain."""
    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(f"{folder}/store") as kb:
        kb.ingest(TEXTS)
        print(kb.chains(start="the river froze"))
        print(kb.chains(end="the coal ran out", types=["causal"], max_hops=2))

        between = kb.chains(start="the cold spell lasted", end="the furnace was shut")
        print(between)
        for link in between.chains[0].links:
            print(f"{link.type}: {link.head} → {link.tail} ({link.confidence:.2f})")
        print(kb.explain(between.chains[0].id))


if __name__ == "__main__":
    main()
