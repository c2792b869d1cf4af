"""The relations of one text as lines for people."""

from __future__ import annotations

from extractors.ports import ExtractionResult
from storage.chain_text import arrow


def drawn(result: ExtractionResult) -> str:
    """One line per relation, with its offsets, its cue and the rule that made it."""
    lines = []
    for r in result.relations:
        cue = f"cue “{r.cue.text}” [{r.cue.start}:{r.cue.end}]" if r.cue else "no cue"
        lines.append(f"{_flat(r.head.text)} {arrow(r.type, r.polarity)} {_flat(r.tail.text)}")
        lines.append(
            f"    {r.type.value}/{r.subtype}, {r.modality.value}, confidence {r.confidence:.2f}, "
            f"[{r.head.start}:{r.head.end}] → [{r.tail.start}:{r.tail.end}], {cue}, {r.rule}"
        )
        lines += [f"    confirmed by {voice}" for voice in r.confirmed_by]
        lines += [f"    doubted by {voice}" for voice in r.doubted_by]
    lines += [f"not done: {reason}" for reason in result.degraded]
    return "\n".join(lines) or "no relations"


def _flat(text: str) -> str:
    return " ".join(text.split())


__all__ = ["drawn"]
