"""Draw the judged sample of extracted relations again: ``draw_sample.py DATA.jsonl LANGUAGE [SEED] [N]``.

DATA holds an object with ``id`` and ``text`` a line. Of all relations with a confidence of at least 0.5, those whose
two ends read the same kept once, N are drawn and printed in the order of the file, with the text around them.
"""

import json
import random
import sys

from extractors import default_extractor
from storage.stored_text import stored_text


def main(path: str, language: str, seed: str = "20261130", n: str = "100") -> None:
    found, seen = [], set()
    with open(path, encoding="utf-8") as lines:
        for document in map(json.loads, lines):
            text = stored_text(document["text"])
            for r in default_extractor().extract(text, language).relations:
                pair = " ".join(r.head.text.split()).lower(), " ".join(r.tail.text.split()).lower()
                if r.confidence >= 0.5 and pair not in seen:
                    seen.add(pair)
                    found.append((document["id"], r, text))
    print(f"{default_extractor().name}: {len(found)} relations", file=sys.stderr)
    draw = random.Random(int(seed))  # noqa: S311 - a sample, not a secret
    for i in sorted(draw.sample(range(len(found)), min(int(n), len(found)))):
        identifier, r, text = found[i]
        spans = {k: [s.start, s.end] if (s := getattr(r, k)) else None for k in ("head", "tail", "cue")}
        row = {"document": identifier, "type": r.type.value, **spans, "confidence": r.confidence, "rule": r.rule}
        around = text[max(0, min(r.head.start, r.tail.start) - 120) : max(r.head.end, r.tail.end) + 120]
        row |= {"polarity": r.polarity, "modality": r.modality, "ends": [r.head.text, r.tail.text], "around": around}
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
