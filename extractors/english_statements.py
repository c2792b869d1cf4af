"""The first clause or phrase of an English line, read off its parse."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from extractors.english_candidates import modality_of
from extractors.english_cues import SPEECH_VERBS
from extractors.english_events import is_event
from extractors.english_lexicon import DEVERBAL, word_set
from extractors.english_spans import (
    clause,
    clause_end,
    complement,
    is_finite_or_verb,
    noun_phrase,
    subject_of,
    trimmed,
    whole_noun,
)
from extractors.english_subjects import FINDING_VERBS
from extractors.english_text import Unit, units
from extractors.statements import FirstStatement
from storage.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

    from extractors.english import EnglishExtractor

LONGEST = 600
"""Characters of a line that are read: its first statement lies within them."""
_WORDS, _LEAST_WORDS = 60, 2
_UNKNOWN = re.compile(
    r"\W*(?:unknown|tbd|tba|n/?a|none|pending|unclear|undetermined|to be (?:determined|confirmed)"
    r"|not (?:yet )?(?:known|clear|determined)|(?:still )?under investigation|still investigating"
    r"|see (?:above|below|the)|under review)\b",
    re.IGNORECASE,
)
_POINTING = word_set("""
    this that these those it they he she here there who whom whose which what
""")
_CAUSE_NOUNS = word_set("""
    cause causes reason reasons culprit trigger source
""")
_TELLERS = word_set("""
    we i they it investigation analysis team engineers
""")
_TROUBLE = word_set("""
    down unavailable unreachable slow missing broken stuck lost error errors failure failures failing outage outages
    disruption loss leak leaks breach crash crashes timeout timeouts starvation exhaustion downtime delay delays
    degradation corruption shortage fire explosion collision
""")
_INTRODUCING = word_set("""
    following there several two three four many multiple various some
""")


class EnglishStatements:
    """Reads lines with the parser of an extractor."""

    def __init__(self, extractor: EnglishExtractor) -> None:
        self._extractor = extractor

    def first_statements(self, texts: Iterable[str]) -> list[FirstStatement | None]:
        """For each text its first clause or phrase; None where it says nothing."""
        first = [next((u for u in units(text[:LONGEST]) if u is not None), None) for text in texts]
        read = self._extractor.read((u.text for u in first if u is not None), first_statement)
        found = iter(read)
        return [_in_source(next(found), unit) if unit is not None else None for unit in first]


def _in_source(found: FirstStatement | None, unit: Unit) -> FirstStatement | None:
    if found is None:
        return None
    start, end = unit.source_span(found.start, found.end)
    return found._replace(start=start, end=end)


def first_statement(doc: Doc) -> FirstStatement | None:
    """The first clause of the first sentence, or its first phrase."""
    sentence = next((s for s in doc.sents if sum(t.is_alpha for t in s) >= _LEAST_WORDS), None)
    if sentence is None:
        return None
    opening = _opening(sentence)
    body = doc[opening : sentence.end]
    if opening > sentence.start:
        sentence = body
    root = _root(sentence)
    start, end = _range(root, sentence)
    named = _named_cause(root, sentence)
    if named is not None:
        start, end = named
    kept = trimmed(sentence, start, min(end, start + _WORDS))
    if kept is None or sum(any(c.isalnum() for c in t.text) for t in doc[kept[0] : kept[1]]) < _LEAST_WORDS:
        return None
    kept = _quoted(doc, *kept)
    first, last = doc[kept[0]], doc[kept[1] - 1]
    text = sentence.text.rstrip()
    vague = (
        bool(_UNKNOWN.match(text))
        or text.endswith(("?", ":"))
        or first.lower_ in _POINTING
        or first.tag_ == "CC"
        or any(t.lower_ == "caused" for t in doc[kept[0] : kept[1]])  # *the issue was caused by …*: not a cause itself
        or (first.lower_ in _INTRODUCING and text.endswith((":", ".")) and not is_finite_or_verb(root))
    )
    return FirstStatement(
        first.idx,
        last.idx + len(last.text),
        happens=_happens(root, sentence),
        hedged=modality_of(root) is not Modality.ASSERTED,
        vague=vague,
    )


def _quoted(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """The range with the quotation mark that its edge has lost."""
    if sum(t.text == '"' for t in doc[start:end]) % 2 == 0:
        return start, end
    if start > 0 and doc[start - 1].text == '"':
        return start - 1, end
    return (start, end + 1) if end < len(doc) and doc[end].text == '"' else (start, end)


def _opening(sentence: Span) -> int:
    """Where the statement begins: behind *Recovery:* and behind a bracket."""
    doc, begin = sentence.doc, sentence.start
    if doc[begin].text in "([":
        close = next((t.i for t in sentence if t.text in ")]"), begin)
        if begin < close < min(begin + 6, sentence.end - _LEAST_WORDS):
            begin = close + 1
    colon = next((t.i for t in doc[begin : min(begin + 4, sentence.end)] if t.text == ":"), begin)
    return colon + 1 if begin < colon < sentence.end - _LEAST_WORDS else begin


def _root(sentence: Span) -> Token:
    """The verb of the first clause: of *we found that X*, the one of X."""
    root = sentence.root
    teller = subject_of(root)
    if root.lower_ not in SPEECH_VERBS | FINDING_VERBS or teller is None or teller.lower_ not in _TELLERS:
        return root
    return next((c for c in root.rights if c.dep_ == "ccomp"), root)


def _range(root: Token, sentence: Span) -> tuple[int, int]:
    doc = sentence.doc
    if is_finite_or_verb(root):
        begin = clause(root)[0] if subject_of(root) is not None else _imperative(root)
        end = clause_end(root)
        for child in root.rights:  # a later verb that is tied to this one is a step of its own
            if child.dep_ == "conj" and is_finite_or_verb(child):
                before = _before(doc, child.left_edge.i, root.i)
                end = min(end, before) if before > root.i + 1 else end  # *reviews and revises the code* is one
                break
        then = next((i for i in range(root.i + 2, end) if doc[i].lower_ == "then"), end)
        end = end if doc[then - 1].text not in (",", "and") else _before(doc, then, root.i)
    else:
        begin, end = sentence.start, noun_phrase(whole_noun(root))[1]
    begin, end = min(begin, root.i), max(end, root.i + 1)
    fronted = doc[sentence.start : begin]
    if not len(fronted) or _is_adverbial(fronted):
        return begin, end
    # *New certificates generated, service restored*: the first of the two.
    comma = next((t.i for t in fronted if t.text == ","), None)
    return sentence.start, end if comma is None else comma


def _is_adverbial(words: Span) -> bool:
    """Whether words before a clause only say when, where or on which condition."""
    return words[0].tag_ in ("IN", "WRB", "TO", "RB", "VBG", "VBN", "CC") or words[0].dep_ in (
        "mark",
        "npadvmod",
        "intj",
    )


def _imperative(root: Token) -> int:
    """Where a clause without a subject begins: behind fronted clauses and the comma after them."""
    doc = root.doc
    begin = root.sent.start
    for child in root.lefts:
        if child.dep_ in ("advcl", "prep") and doc[child.right_edge.i + 1].text == ",":
            begin = max(begin, child.right_edge.i + 2)
    while begin < root.i and doc[begin].lower_ in ("then", "next", "finally", "first", "now", "and", ","):
        begin += 1
    return begin


def _before(doc: Doc, left: int, floor: int) -> int:
    while left - 1 > floor and (doc[left - 1].tag_ in ("CC", ",", ":") or doc[left - 1].lower_ == "then"):
        left -= 1
    return left


def _named_cause(root: Token, sentence: Span) -> tuple[int, int] | None:
    """Of *the root cause was X*: X."""
    if root.lower_ not in ("was", "is", "were", "are", "'s"):
        return None
    subject = subject_of(root)
    if subject is None or subject.lower_ not in _CAUSE_NOUNS or subject.i > root.i:
        return None
    found = complement(root)
    if found is None:
        return None
    begin, end = found
    while begin < end and sentence.doc[begin].lower_ == "that":
        begin += 1
    return begin, end


def _happens(root: Token, sentence: Span) -> bool:
    """Whether something is done or comes about: a verb of more than being, an instruction, or the noun of an event."""
    if is_finite_or_verb(root):
        return any(t.lower_ in _TROUBLE for t in sentence) or root.lower_ not in (
            "is",
            "are",
            "was",
            "were",
            "be",
            "has",
            "have",
            "had",
            "'s",
            "contains",
            "includes",
        )
    doc = sentence.doc
    if any(t.lower_ in _TROUBLE for t in sentence):
        return True
    if any(t.tag_ in ("VBD", "VBN", "VBG", "VBZ") and t.head in (root, t) for t in sentence):
        return True
    return is_event(doc, (sentence.start, root.i + 1)) or root.lower_.removesuffix("s") in DEVERBAL


__all__ = ["EnglishStatements", "first_statement"]
