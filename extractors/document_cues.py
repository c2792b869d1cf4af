"""Relations that a document's structure states: steps, timelines, lists of reasons, headings that announce a cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple, Protocol

from extractors.document_causes import AnnouncedCause, announced_causes
from extractors.document_lines import lines
from extractors.document_reasons import ListedReasons, listed_reasons
from extractors.document_sequences import Item, ItemList, inline_steps, sequences
from extractors.english_lexicon import word_set
from extractors.keys import statement_key
from extractors.language import detect_language
from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from extractors.statements import FirstStatement
from storage.records import Modality, RelationType, StatementKey

_LISTED, _TOLD, _NUMBERED = 0.7, 0.6, 0.45
"""Confidence of a list under a heading that says what it is, and of times and numbers that only their own words show
to belong to such a list: a numbered list of things to do may be one of choices."""
_REASONS = 0.75
"""Confidence of a reason from a list that a text calls one of reasons."""
_HEDGED = 0.85
_MOST_ITEMS = 4_000
"""Items of one document that are read: what has more of them is a log."""
_SAME_EVERYWHERE = word_set("""
    issue problem incident alert alarm error service system fix cause root investigation outage team recovery update
    detect identify resolve close start begin discover find receive declare complete finish end confirm verify restore
    recover investigate fire trigger acknowledge notice report operational normal
    问题 故障 事件 告警 报警 服务 系统 原因 事故 发现 定位 恢复 解决 修复 排查 开始 结束 关闭 确认 收到
    处理 完成 正常 触发
""")
"""*Issue detected* happens in every incident: as an end it would join those of different documents."""


class StatementReader(Protocol):
    """Finds the first statement of a stretch of text in one language."""

    def first_statements(self, texts: Iterable[str]) -> list[FirstStatement | None]:
        """For each text its first clause or phrase; None where it says nothing."""


class _End(NamedTuple):
    span: TextSpan
    key: StatementKey
    told: FirstStatement

    @property
    def tells(self) -> bool:
        """Whether it says something of its own."""
        return not self.told.vague and not _SAME_EVERYWHERE.issuperset(self.key.terms)


class DocumentCues:
    """Reads the structure of a whole document; the ends of what it finds are read by the language's own reader.

    Args:
        readers: for ``en`` and ``zh``.
    """

    def __init__(self, readers: Mapping[str, StatementReader]) -> None:
        self._readers = readers

    @property
    def name(self) -> str:
        """Method and version."""
        return "document-cues@2"

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations that the structure of ``text`` states."""
        rows = list(lines(text))
        listed = [*sequences(rows), *inline_steps(text)]
        causes = list(announced_causes(rows))
        reasons = list(listed_reasons(text))
        items = chain(
            (i for one in listed for i in one.items),
            (i for cause in causes for i in cause.ends),
            (i for one in reasons for i in one.ends),
        )
        ends = self._read(text, list(dict.fromkeys(items))[:_MOST_ITEMS])
        relations = [r for one in listed for r in _in_order(text, one, ends)]
        relations += [r for cause in causes if (r := _caused(text, cause, ends)) is not None]
        relations += [r for one in reasons for r in _reasoned(text, one, ends)]
        relations.sort(key=lambda r: (min(r.head.start, r.tail.start), r.head.start, r.tail.start))
        return ExtractionResult(language=language, relations=tuple(relations), extractor=self.name)

    def _read(self, text: str, items: list[Item]) -> dict[Item, _End]:
        by_language: dict[str, list[Item]] = {}
        for item in items:
            by_language.setdefault(detect_language(text[item.start : item.end]), []).append(item)
        ends: dict[Item, _End] = {}
        for language, own in by_language.items():
            read = self._readers[language].first_statements(text[i.start : i.end] for i in own)
            for item, told in zip(own, read, strict=True):
                if told is None:
                    continue
                span = _span(text, item.start + told.start, item.start + told.end)
                key = statement_key(span.text, language)
                if key is not None:
                    ends[item] = _End(span, key, told)
        return ends


def _in_order(text: str, listed: ItemList, ends: Mapping[Item, _End]) -> Iterator[ExtractedRelation]:
    """Each item before the next one that tells something; without an announcement only if all of them happen."""
    if not listed.announced and not all(item in ends and ends[item].told.happens for item in listed.items):
        return
    confidence = _LISTED if listed.announced else _TOLD if listed.kind == "timeline" else _NUMBERED
    telling = [i for i, item in enumerate(listed.items) if item in ends and ends[item].tells]
    for earlier, later in listed.neighbours(telling):
        head, tail = ends[listed.items[earlier]], ends[listed.items[later]]
        if head.key != tail.key:
            yield ExtractedRelation(
                type=RelationType.SEQUENTIAL, head=head.span, tail=tail.span, head_key=head.key, tail_key=tail.key,
                cue=_span(text, *listed.items[later].marker), subtype="then",
                confidence=confidence, rule=f"document:{listed.kind}",
            )  # fmt: skip


def _caused(text: str, cause: AnnouncedCause, ends: Mapping[Item, _End]) -> ExtractedRelation | None:
    """What stands under the heading, as the cause of the first of the possible effects that says what happened."""
    head = ends.get(cause.cause)
    if head is None or head.told.vague:
        return None
    for item, confidence in zip(cause.effects, cause.confidences, strict=True):
        tail = ends.get(item)
        if tail is None or tail.key == head.key or not tail.tells or not (item.named or tail.told.happens):
            continue
        cue, hedged = _span(text, *cause.heading), cause.hedged or head.told.hedged
        return _causal(head, tail, cue, confidence, hedged=hedged, subtype="cause", rule="document:cause-heading")
    return None


def _reasoned(text: str, listed: ListedReasons, ends: Mapping[Item, _End]) -> Iterator[ExtractedRelation]:
    """Each reason of a list with what it is a reason of."""
    tail = ends.get(listed.effect)
    if tail is None or not tail.tells or not (listed.effect.named or tail.told.happens):
        return
    for item in listed.reasons:
        head = ends.get(item)
        if head is None or head.told.vague or head.key == tail.key:
            continue
        cue, hedged = _span(text, *listed.cue), listed.hedged or head.told.hedged
        yield _causal(head, tail, cue, _REASONS, hedged=hedged, subtype="reason", rule="document:listed-reasons")


def _causal(
    head: _End, tail: _End, cue: TextSpan, confidence: float, *, hedged: bool, subtype: str, rule: str
) -> ExtractedRelation:
    return ExtractedRelation(
        type=RelationType.CAUSAL, head=head.span, tail=tail.span, head_key=head.key, tail_key=tail.key,
        cue=cue, subtype=subtype, modality=Modality.HEDGED if hedged else Modality.ASSERTED,
        confidence=round(confidence * (_HEDGED if hedged else 1.0), 3), rule=rule,
    )  # fmt: skip


def _span(text: str, start: int, end: int) -> TextSpan:
    return TextSpan(start=start, end=end, text=text[start:end])


__all__ = ["DocumentCues", "StatementReader"]
