"""The story of Clew on the bundled documents: ask, see the chain, keep it, ask again, and see it retire with its proof.

Run it with ``make demo``, or ``python examples/demo.py [FOLDER]`` to keep the store in FOLDER.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from graphrag import Answer, KnowledgeBase
from graphrag.progress import progress_bar

CORPUS = Path(__file__).parent / "corpus"
QUESTION = "Why did the March release slip?"
CHINESE = "玉米价格上涨如何影响设备订单？"
LINK = "corpus/en/meeting-logistics-february.md"


def main() -> None:
    """Tell the story in a store that is thrown away, unless a folder is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="keep the store here")
    folder = parser.parse_args().folder
    if folder:
        tell(folder)
        return
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as temporary:
        tell(Path(temporary) / "demo.clew")


def tell(folder: Path) -> None:
    """Run every step against a store in ``folder``."""
    with KnowledgeBase.open(folder) as kb:
        step("1. Twenty-two documents in English and Chinese go in.", "clew ingest examples/corpus")
        with progress_bar("ingest") as progress:
            print(kb.ingest([CORPUS], progress=progress))

        step("2. No document says why the release slipped, but their chain does.", f'clew ask "{QUESTION}" --propose')
        answer = kb.ask(QUESTION, propose=True, proposer="demo")
        print(answer)

        step("3. The same in Chinese.", f'clew ask "{CHINESE}"')
        print(kb.ask(CHINESE))

        step("4. The chain crossed documents, so it was proposed. A person accepts it.", "clew review accept PROPOSAL")
        before = kb.status().state_hash
        proposal = answer.proposals[0]
        for verdict in proposal.verdicts:
            print(f"   {'ok  ' if verdict.passed else 'FAIL'} {verdict.check}: {verdict.reason}")
        decision = kb.accept(proposal.id, reason="every link was read", actor="demo")
        print(f"   accepted in {decision.batch}")

        step("5. Asked again, the answer starts from the stored chain.", f'clew ask "{QUESTION}"')
        print(first_line(kb.ask(QUESTION)))

        step("6. A source goes. What only it proved goes too, and the chain retires.", f"clew remove {LINK}")
        print(kb.remove(LINK))
        print(first_line(kb.ask(QUESTION)))

        step("7. It comes back, and with it the chain. Then the acceptance is undone.", "clew ingest; clew rollback")
        kb.ingest([CORPUS])
        print(first_line(kb.ask(QUESTION)))
        assert decision.batch is not None
        kb.rollback(decision.batch, reason="end of the demo", actor="demo")
        same = kb.status().state_hash == before
        print(f"The state is {'exactly' if same else 'NOT'} what it was before the acceptance.")
        if not same:
            sys.exit(1)

        step("8. What the documents do not say is not answered.", 'clew ask "Why did the June release slip?"')
        print(kb.ask("Why did the June release slip?"))


def step(title: str, command: str) -> None:
    """A heading, and the command that does the same."""
    print(f"\n=== {title}\n$ {command}\n")


def first_line(answer: Answer) -> str:
    """The chain of an answer, or that there is none."""
    return answer.text.splitlines()[0]


if __name__ == "__main__":
    main()
