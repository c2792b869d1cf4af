"""Precision and recall of links between statements that say the same: ``same_as.py PAIRS.jsonl``.

A pair holds ``id``, ``first``, ``second``, ``languages``, ``same``. Odd ids are the development half (thresholds were
chosen on it), even ones are held out. Two wordings with one key are one statement already and no link: they are counted
in the last two columns, where a pair is taken as found if it is one statement or linked.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from extractors.embedders import open_embedder
from extractors.keys import statement_key
from graphrag.same_as import linked


def main(path: str) -> None:
    """Print a row for each half and pair of languages."""
    embedder = open_embedder("e5", cache_dir=None)
    counts: dict[tuple[str, str], Counter[tuple[bool, str]]] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        a, b = (
            statement_key(text, language)
            for text, language in zip((pair["first"], pair["second"]), pair["languages"], strict=True)
        )
        if a is None or b is None:
            found = "nothing"
        elif a == b:
            found = "one"
        else:
            found = "link" if linked([(a, b)], embedder) else "nothing"
        half = "development" if pair["id"] % 2 else "held out"
        for languages in ("-".join(pair["languages"]), "all"):
            counts.setdefault((half, languages), Counter())[pair["same"], found] += 1
    print("| half | languages | links | precision | recall | with one key: precision | recall |")
    print("|---|---|---|---|---|---|---|")
    for (half, languages), n in sorted(counts.items()):
        right, wrong, missed = n[True, "link"], n[False, "link"], n[True, "nothing"]
        one, falsely = n[True, "one"], n[False, "one"]
        shares = (
            right / max(1, right + wrong),
            right / max(1, right + missed),
            (right + one) / max(1, right + one + wrong + falsely),
            (right + one) / max(1, right + one + missed),
        )
        print(f"| {half} | {languages} | {right + wrong} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
