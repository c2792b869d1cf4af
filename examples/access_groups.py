"""One question, three callers: each is answered from the documents that their groups may see, hop by hop."""

from __future__ import annotations

import tempfile

from graphrag import Document, KnowledgeBase

TEXTS = [
    Document(id="notice", text="The plant was closed because the permit expired."),
    Document(id="memo", text="Because the plant was closed, the merger was postponed.", groups=("board",)),
]
QUESTION = "Why was the merger postponed?"


def main() -> None:
    """Ask as the owner, as a member of the board, and as everybody."""
    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(f"{folder}/store") as kb:
        kb.ingest(TEXTS)
        for who, groups in (("owner", None), ("board", ["board", "public"]), ("everybody", ["public"])):
            answer = kb.ask(QUESTION, groups=groups)
            print(f"{who}: {answer.text.splitlines()[0]}")

        seen = kb.documents(groups=["public"]).documents
        print("everybody sees:", ", ".join(row.path for row in seen))


if __name__ == "__main__":
    main()
