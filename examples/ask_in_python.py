"""Take three short texts in, ask about them in both languages, and see where every step of an answer stands."""

from __future__ import annotations

import tempfile

from graphrag import Document, KnowledgeBase

TEXTS = [
    Document(id="grid", text="The substation failed because lightning struck the line."),
    Document(id="plant", text="Because the substation failed, the cooling pumps stopped."),
    Document(id="周报", text="由于水库水位下降，灌溉面积减少。"),
]


def main() -> None:
    """Ask three questions; the last one has no answer in the texts."""
    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(f"{folder}/store") as kb:
        print(kb.ingest(TEXTS))

        answer = kb.ask("Why did the cooling pumps stop?")
        print(answer)
        for citation in answer.citations:
            print(f"[{citation.marker}] {citation.source}, characters {citation.start} to {citation.end}")

        print(kb.ask("灌溉面积为什么减少？"))
        print("answered:", not kb.ask("Why did the ferry sink?").abstained)


if __name__ == "__main__":
    main()
