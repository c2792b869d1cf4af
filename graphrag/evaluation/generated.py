"""Generated documents in English and Chinese, and stand-ins for the models, for measuring speed without any data.

All of it is a pure function of a seed.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.records import Document, RelationType, StatementKey

if TYPE_CHECKING:
    from extractors.ports import ExtractedRelation, ExtractionResult
    from storage.ports import Side, Vector

_SYLLABLES = (
    "var",
    "en",
    "hol",
    "mer",
    "lin",
    "dra",
    "tis",
    "kor",
    "bel",
    "sun",
    "fa",
    "ro",
    "gar",
    "wick",
    "ost",
    "ley",
)
_HAN = "澜沅岭川泽淮漳渭浦屿峰岚溪桥关塘港湾原洲"
_ENGLISH_EVENTS = (
    "the dam at {} burst", "the port of {} closed", "heavy rain fell on {}", "a strike stopped the mill in {}",
    "the bridge at {} was shut", "prices rose sharply in {}", "the harvest around {} failed", "power failed in {}",
)  # fmt: skip
_CHINESE_EVENTS = (
    "{}暴雨不断",
    "{}港口停工",
    "{}玉米价格上涨",
    "{}工厂减产",
    "{}大桥封闭",
    "{}供电中断",
    "{}粮食歉收",
    "{}需求下降",
)
_FUNCTION_WORDS = frozenset(("the", "a", "at", "of", "in", "on", "was"))
_ENGLISH_FILLER = (
    "The council of {} met on Tuesday and heard reports from its three committees.",
    "Visitors to {} can see the old market hall, the town museum and a small collection of maps.",
    "About nine thousand people live in {}, most of them near the river and the railway station.",
)
_CHINESE_FILLER = (
    "{}位于河流下游，全区下辖五个街道和三个乡镇。",
    "据统计，{}共有居民九千余人，多数住在老城区。",
    "{}博物馆收藏了一批旧地图，每周二至周日开放。",
)


@dataclass(frozen=True, slots=True)
class Shape:
    """How a generated document is made up."""

    paragraphs: int
    fillers: int  # sentences without a relation, before the one of each paragraph that states one


def documents(seed: int, shape: Shape, *, first: int = 0) -> Iterator[Document]:
    """Endlessly many documents from number ``first`` on, in turn English and Chinese.

    The effect of one paragraph is the cause of the next, so every document holds a chain; the first cause is the last
    effect of an earlier document, so chains cross documents.
    """
    number = first
    while True:
        chinese = number % 2 == 1
        paragraphs = [_paragraph(seed, number, i, shape, chinese=chinese) for i in range(shape.paragraphs)]
        name = _place(seed, number, shape.paragraphs, chinese=chinese)
        yield Document(
            id=f"generated-{number}",
            title=f"{name}纪事" if chinese else f"Annals of {name.title()}",
            text="\n\n".join(paragraphs),
        )
        number += 1


def questions(seed: int, count: int, shape: Shape, *, known: int) -> list[str]:
    """Questions after effects that the first ``known`` documents state, in turn English and Chinese."""
    draw = random.Random(f"{seed}:questions")  # noqa: S311 - a benchmark, not a secret
    asked = []
    for i in range(count):
        number = draw.randrange(max(known // 2, 1)) * 2 + i % 2
        event = _event(seed, min(number, max(known - 1, 0)), 1 + draw.randrange(shape.paragraphs), chinese=i % 2 == 1)
        asked.append(f"为什么{event}？" if i % 2 else f"Why did it happen that {event}?")
    return asked


def _paragraph(seed: int, number: int, index: int, shape: Shape, *, chinese: bool) -> str:
    draw = random.Random(f"{seed}:{number}:{index}")  # noqa: S311
    place = _place(seed, number, index, chinese=chinese)
    fillers = _CHINESE_FILLER if chinese else _ENGLISH_FILLER
    sentences = [draw.choice(fillers).format(place if chinese else place.title()) for _ in range(shape.fillers)]
    if index == 0 and number >= 2:
        cause = _event(seed, draw.randrange(number // 2) * 2 + number % 2, shape.paragraphs, chinese=chinese)
    else:
        cause = _event(seed, number, index, chinese=chinese)
    effect = _event(seed, number, index + 1, chinese=chinese)
    if chinese:
        sentences.append(f"{cause}，导致{effect}。" if draw.random() < 0.5 else f"由于{cause}，因此{effect}。")
        return "".join(sentences)
    said = f"{effect} because {cause}." if draw.random() < 0.5 else f"{cause}, so {effect}."
    sentences.append(said[0].upper() + said[1:])
    return " ".join(sentences)


def _event(seed: int, number: int, index: int, *, chinese: bool) -> str:
    draw = random.Random(f"{seed}:{number}:{index}:event")  # noqa: S311
    place = _place(seed, number, index, chinese=chinese)
    return draw.choice(_CHINESE_EVENTS if chinese else _ENGLISH_EVENTS).format(place if chinese else place.title())


def _place(seed: int, number: int, index: int, *, chinese: bool) -> str:
    """A name of its own for every paragraph.

    Two rare words in English: with one, events of a kind would share most of their words and be linked as the same.
    """
    draw = random.Random(f"{seed}:{number}:{index}:place")  # noqa: S311
    if chinese:
        return "".join(draw.choices(_HAN, k=4))
    return " ".join("".join(draw.choices(_SYLLABLES, k=k)) for k in (3, 4))


class GeneratedVectors:
    """An embedder that draws the vector of a text from its hash: equal texts are equal, others are unrelated."""

    name = "generated@1"
    dimensions = 384

    def embed(self, texts: Sequence[str], side: Side) -> Vector:  # noqa: ARG002 - both sides are one space
        """Unit vectors of shape ``(len(texts), 384)``."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            key = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8])
            row[:] = np.random.default_rng(key).standard_normal(self.dimensions, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)  # type: ignore[no-any-return]


class GeneratedRelations:
    """An extractor that knows the sentences of this module and no others: it costs next to nothing."""

    name = "generated@1"
    _PATTERNS = (
        (re.compile(r"(?P<tail>[^.\n]+?) (?P<cue>because) (?P<head>[^.\n]+)\."), "en"),
        (re.compile(r"(?P<head>[^.\n]+?), (?P<cue>so) (?P<tail>[^.\n]+)\."), "en"),
        (re.compile(r"(?P<cue>由于)(?P<head>[^，。\n]+)，因此(?P<tail>[^，。\n]+)。"), "zh"),
        (re.compile(r"(?P<head>[^，。\n]+)，(?P<cue>导致)(?P<tail>[^，。\n]+)。"), "zh"),
    )

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations of a generated text."""
        from extractors.ports import ExtractionResult

        relations = [
            self._relation(match, language)
            for pattern, of in self._PATTERNS
            if of == language
            for match in pattern.finditer(text)
        ]
        relations.sort(key=lambda r: r.head.start)
        return ExtractionResult(language=language, relations=tuple(relations), extractor=self.name)

    def _relation(self, match: re.Match[str], language: str) -> ExtractedRelation:
        from extractors.ports import ExtractedRelation, TextSpan

        def span(group: str) -> TextSpan:
            # The pattern keeps out the full stop of the sentence before, not the space behind it.
            found = match[group]
            start = match.start(group) + len(found) - len(found.lstrip())
            return TextSpan(start=start, end=match.end(group), text=found.lstrip())

        def key(of: TextSpan) -> StatementKey:
            if language == "zh":
                return StatementKey(language=language, terms=tuple(filter(None, (of.text[:4], of.text[4:]))))
            words = [word for word in of.text.lower().split() if word not in _FUNCTION_WORDS]
            return StatementKey(language=language, terms=tuple(words))

        head, tail = span("head"), span("tail")
        return ExtractedRelation(
            type=RelationType.CAUSAL,
            head=head,
            tail=tail,
            cue=span("cue"),
            head_key=key(head),
            tail_key=key(tail),
            subtype="cause",
            confidence=0.9,
            rule="generated",
        )


__all__ = ["GeneratedRelations", "GeneratedVectors", "Shape", "documents", "questions"]
