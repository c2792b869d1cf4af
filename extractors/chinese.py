"""Relations that Chinese texts state with explicit cues."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from extractors.chinese_changes import brings_about, is_measured
from extractors.chinese_clauses import Sentence, sentences
from extractors.chinese_cues import CONDITIONALS, HEDGES, NEGATIONS, QUESTIONS
from extractors.chinese_discourse import READ_HERE, discourse_links
from extractors.chinese_key import chinese_key, told_apart
from extractors.chinese_order import OrderLink, order_links
from extractors.chinese_pairs import paired_links
from extractors.chinese_rules import Link, Passage
from extractors.chinese_script import simplified
from extractors.chinese_spans import UNSURE, suppressed, whole_ends
from extractors.chinese_words import Word
from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from storage.records import Direction, Modality, Polarity, RelationType, StatementKey

_BARE = 0.85
"""Factor for an end without a subject of its own: it is right as often, and says less."""
_CLAUSE_END = 0.95
"""Factor for an end that is a whole clause instead of an event."""
_HEDGED = 0.95
_MOST_PER_SENTENCE = 16
_MOST_LINKS = 48
"""Links of one sentence that are worked out: bounds the time of a text that is all cues and no full stop."""
_MOST_IN_ORDER = 40
"""Relations without a cue that one sentence gives."""
_TELLING = frozenset(("判断", "知道", "决定", "确定", "确认", "分辨", "看看", "检查"))
_JOINING = frozenset(("且", "并且", "并", "以及", "而且", "和"))
"""Words that continue the supposition of the clause before."""
_DENIED = re.compile(
    r"(?:没有|尚无|并无|暂无|缺乏|缺少|毫无|无)(?:任何|足够|充分|直接|确凿)?的?"
    r"(?:证据|研究|数据|迹象|资料|理由|实验|试验|报告|调查|文献)[^,;:。]{0,6}?(?:表明|显示|证明|证实|说明|支持|认为|发现)"
    r"|(?:没有|并未|尚未|未能|未|不能|无法|难以|不足以)(?:证明|证实|表明|显示)"
    r"|(?:研究|调查|试验|实验|检测|专家|学者)[^,;:。]{0,4}(?:没有|并未|未)发现"
    r"|不认为|不相信|不意味着|否认|辟谣|谣传|误以为|质疑"
)
"""Words that deny what follows in their clause, or say that nothing shows it."""
_GIVEN = re.compile("由于|因为|因|鉴于")
_THEN = frozenset(("就", "则", "便", "那么"))
"""Words at the start of a clause that say what follows from the supposition before."""
_RISKS = frozenset(("风险提示", "风险", "风险因素"))
"""Words that open a list of what may come."""
_NEAR = 3
"""Words before a cue among which a negation denies it."""
_MEASURED = 0.55
"""Least confidence where both ends say which thing changes, in what and which way: rounded down from the share of such
relations that is right under cues that are weak elsewhere."""
_LIKELY = 0.5
"""Confidence from which a relation holds rather than not."""
_NOT_SAID = frozenset(("condition", "purpose"))
"""Subtypes that do not say that the effect comes about."""
_FAR = frozenset(("verb-far-cause", "verb-far-effect"))
"""Rules that take an end from a clause that the cue does not stand in."""


class _Read(NamedTuple):
    """A relation and the two events that its keys are made of."""

    relation: ExtractedRelation
    head: TextSpan
    tail: TextSpan


class ChineseExtractor:
    """Finds causal, sequential, supporting and progressive relations by connectives, cue verbs and nominal cues.

    Words and parts of speech come from jieba, loaded at the first text. Time is linear in the text; traditional script
    and full-width forms are read as they stand.
    """

    @property
    def name(self) -> str:
        """Method and version."""
        return "chinese-cues@8"

    def extract(self, text: str, language: str = "zh") -> ExtractionResult:
        """The relations that ``text`` states, in the order of their first code point."""
        plain = simplified(text)
        found: list[ExtractedRelation] = []
        earlier: Sentence | None = None
        for sentence in sentences(plain):
            passage = Passage(plain, sentence, earlier.clauses[-1] if earlier else None)
            links = [*passage.links(), *paired_links(plain, sentence)]
            links = [*_with_events(plain, links), *discourse_links(passage, sentence, earlier)]
            links.sort(key=lambda link: -link.found.cue.confidence * link.factor)  # stable: ties stay in text order
            links = links[:_MOST_LINKS]
            relations = [r for link in links if (r := _relation(text, passage, sentence, link)) is not None]
            stated = _distinct(relations)
            found += stated
            found += _told_in_order(text, passage, sentence, stated)
            apart = sentence.terminator.count("\n") > 1 or "|" in sentence.terminator
            earlier = None if apart else sentence
        found.sort(key=lambda r: (min(r.head.start, r.tail.start), r.head.start, r.tail.start, r.type, r.rule))
        return ExtractionResult(language=language, relations=tuple(found), extractor=self.name)


def _with_events(plain: str, links: Iterable[Link]) -> Iterator[Link]:
    """The links but those between whole clauses, which are read as such."""
    for link in links:
        events = link.head.event is not None or link.tail.event is not None
        if events or plain[link.found.start : link.found.end] not in READ_HERE:
            yield link


def _relation(text: str, passage: Passage, sentence: Sentence, link: Link) -> _Read | None:
    """The link as a record, or None where an end has no key or both have the same."""
    plain = passage.plain
    crisp = _span(text, link.head.start, link.head.end), _span(text, link.tail.start, link.tail.end)
    head_key, tail_key = chinese_key(link.head.of(text)), chinese_key(link.tail.of(text))
    if head_key is None or tail_key is None:
        return None
    ends = whole_ends(passage, sentence, link)
    if head_key == tail_key:
        head_key, tail_key = told_apart(head_key, text[slice(*ends.head)], text[slice(*ends.tail)])
    alike = link.head.bare and link.tail.bare and head_key.terms == tail_key.terms
    if head_key == tail_key or alike:
        return None
    held = suppressed(passage, sentence, link.head), suppressed(passage, sentence, link.tail)
    head_key, tail_key = _flipped(head_key, held[0]), _flipped(tail_key, held[1])
    head = _span(text, *_with_verb(ends.head, held[0], ends.tail))
    tail = _span(text, *_with_verb(ends.tail, held[1], ends.head))
    polarity, modality = _stance(plain, sentence, link, head)
    confidence = link.found.cue.confidence * link.factor
    for end in (link.head, link.tail):
        confidence *= _CLAUSE_END if end.event is None else _BARE if end.bare else 1.0
    confidence *= _HEDGED if modality is not Modality.ASSERTED else 1.0
    confidence = min(confidence, UNSURE) if ends.unsure else confidence
    confidence = max(confidence, _grounds(link, head_key, tail_key))
    explicit = link.found.end > link.found.start
    cue = _span(text, link.found.start, link.found.end) if explicit else None
    relation = ExtractedRelation(
        type=link.found.cue.type,
        head=head,
        tail=tail,
        cue=cue,
        head_key=head_key,
        tail_key=tail_key,
        polarity=polarity,
        modality=modality,
        subtype=link.found.cue.subtype,
        explicit=explicit,
        confidence=round(min(confidence, 1.0), 3),
        rule=f"{link.found.cue.name}/{link.rule}",
    )
    return _Read(relation, *crisp)


def _grounds(link: Link, head_key: StatementKey, tail_key: StatementKey) -> float:
    """How sure a cause and its effect are by what they say, however weak their cue or open where an end stops."""
    if link.found.cue.type is not RelationType.CAUSAL or link.found.cue.subtype in _NOT_SAID or link.rule in _FAR:
        return 0.0
    measured = _MEASURED if is_measured(head_key) and is_measured(tail_key) else 0.0
    return max(measured, brings_about(head_key, tail_key))


def _told_in_order(
    text: str, passage: Passage, sentence: Sentence, stated: Sequence[ExtractedRelation]
) -> Iterator[ExtractedRelation]:
    """Relations between events that no cue ties, as far as no cue says how the two are related."""
    known = {frozenset((r.head_key, r.tail_key)) for r in stated}
    cued = any(r.type is RelationType.CAUSAL and r.confidence >= _LIKELY for r in stated)
    for ordered in itertools.islice(order_links(passage, sentence, cued=cued), _MOST_IN_ORDER):
        if frozenset((ordered.head_key, ordered.tail_key)) not in known:
            said = ordered.change is None or _is_said(ordered.change, stated)
            yield _in_order(text, passage, sentence, ordered, (None if said else ordered.change) or ordered.link)


def _is_said(change: Link, stated: Sequence[ExtractedRelation]) -> bool:
    """Whether a cue ties the words of the two changes already, perhaps with more about them."""
    return any(
        r.head.start < change.head.end
        and change.head.start < r.head.end
        and r.tail.start < change.tail.end
        and change.tail.start < r.tail.end
        for r in stated
    )


def _in_order(text: str, passage: Passage, sentence: Sentence, ordered: OrderLink, link: Link) -> ExtractedRelation:
    head, tail = _span(text, link.head.start, link.head.end), _span(text, link.tail.start, link.tail.end)
    _, modality = _stance(passage.plain, sentence, link, head)
    return ExtractedRelation(
        type=link.found.cue.type,
        head=head,
        tail=tail,
        cue=None,
        head_key=ordered.head_key,
        tail_key=ordered.tail_key,
        modality=modality,
        subtype=link.found.cue.subtype,
        explicit=False,
        confidence=round(link.found.cue.confidence * link.factor, 3),
        rule=f"{link.found.cue.name}/{link.rule}",
    )


def _span(text: str, start: int, end: int) -> TextSpan:
    return TextSpan(start=start, end=end, text=text[start:end])


def _flipped(key: StatementKey, verb: int | None) -> StatementKey:
    """抑制 价格 反弹 says that the price does not rise."""
    if verb is None or key.direction is Direction.NONE:
        return key
    return key.model_copy(update={"negated": not key.negated})


def _with_verb(span: tuple[int, int], verb: int | None, other: tuple[int, int]) -> tuple[int, int]:
    """The span from the verb on that turns it round."""
    if verb is None or verb >= span[0] or (other[0] < span[1] and verb < other[1]):
        return span
    return verb, span[1]


def _stance(plain: str, sentence: Sentence, link: Link, head: TextSpan) -> tuple[Polarity, Modality]:
    """Whether the relation is denied, hedged or only supposed."""
    found = link.found
    words = [w for clause in sentence.clauses for w in clause.words]
    own = next((c for c in sentence.clauses if c.start <= found.start < c.end), sentence.clauses[0])
    before = [w for w in own.words if w.end <= found.start][-_NEAR:]
    denied = any(w.text in NEGATIONS for w in _adjacent(before)) or plain[max(0, found.start - 2) : found.start] in (
        "并非",
        "不是",
    )
    polarity = Polarity.NEGATED if denied else Polarity.AFFIRMED
    left, right = min(link.head.start, link.tail.start, found.start), max(link.head.end, link.tail.end)
    clause = next((c for c in sentence.clauses if c.start <= left < c.end), sentence.clauses[0])
    at = sentence.clauses.index(clause)
    if at and (clause.words[0].text in _JOINING or any(w.text in _THEN for w in clause.words[:2])):
        clause = sentence.clauses[at - 1]  # 如果 A，且 B 导致 C; 如果 A，就 会 B
    scope = [w for w in words if clause.start <= w.start < right]
    if clause.words[0].text in _RISKS or (at and sentence.clauses[0].words[0].text in _RISKS):
        return polarity, Modality.HYPOTHETICAL
    inner = found.end if link.whole and found.cue.name == "because" else right  # what a reason supposes, it states
    if any(w.text in CONDITIONALS for w in scope if w.start < inner) or "?" in sentence.terminator or _asks(sentence):
        return polarity, Modality.HYPOTHETICAL
    if found.cue.name == "provided":
        return polarity, Modality.HYPOTHETICAL  # what a rule says of a case
    if _is_denied(plain, sentence, at, found.start):
        return polarity, Modality.HYPOTHETICAL
    outside = [w for w in scope if not (head.start <= w.start < head.end)]
    if any(w.text in HEDGES for w in outside):
        return polarity, Modality.HEDGED
    return polarity, Modality.ASSERTED


def _is_denied(plain: str, sentence: Sentence, at: int, cue: int) -> bool:
    """Whether clause ``at`` up to its cue, or the end of the one before, denies the relation: 没有证据表明 A 导致 B."""
    start = sentence.clauses[at].start
    denied = _DENIED.search(plain, start, max(start, cue))
    if denied is not None:
        return _GIVEN.search(plain, start, denied.start()) is None  # 由于他否认指控，…: the denial is the cause
    before = sentence.clauses[at - 1] if at else None
    ended = [m.end() for m in _DENIED.finditer(plain, before.start, before.end)] if before else []
    return before is not None and ended[-1:] == [before.end]


def _adjacent(before: list[Word]) -> Iterator[Word]:
    """The words right before a cue, as far as only adverbs stand between."""
    for word in reversed(before):
        links = word.flag.startswith(("d", "v", "c", "p", "zg"))
        if not links and word.text not in NEGATIONS:
            return
        yield word
        if word.flag.startswith("v") and word.text not in NEGATIONS and word.text not in ("会", "能", "是", "可能"):
            return


def _asks(sentence: Sentence) -> bool:
    """Whether the last clause asks; 他不知道是不是真的 only tells of a question."""
    words = sentence.clauses[-1].words
    telling = any(w.text in _TELLING for w in words) and sentence.terminator.startswith(("。", "!"))
    return not telling and any(w.text in QUESTIONS for w in words)


def _distinct(relations: Iterable[_Read]) -> list[ExtractedRelation]:
    """One relation per type and pair of ends, the surest; a reading the other way round counts as the same pair."""
    kept: list[_Read] = []
    for read in sorted(relations, key=lambda r: (-r.relation.confidence, r.head.start, r.tail.start, r.relation.rule)):
        if not any(_same(read, other) for other in kept):
            kept.append(read)
    return [read.relation for read in kept[:_MOST_PER_SENTENCE]]


def _same(first: _Read, second: _Read) -> bool:
    if first.relation.type is not second.relation.type:
        return False
    straight = _overlap(first.head, second.head) and _overlap(first.tail, second.tail)
    return straight or (_overlap(first.head, second.tail) and _overlap(first.tail, second.head))


def _overlap(first: TextSpan, second: TextSpan) -> bool:
    inter = min(first.end, second.end) - max(first.start, second.start)
    union = max(first.end, second.end) - min(first.start, second.start)
    return inter >= 0.7 * union


__all__ = ["ChineseExtractor"]
