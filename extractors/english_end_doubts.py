"""Doubts about one end of a find: cut in the middle, without a subject, or too vague to be looked up later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractors.english_candidates import SHARED_SUBJECT, Candidate
from extractors.english_completion import noun_phrase_end
from extractors.english_events import is_event
from extractors.english_lexicon import TIME_NOUNS, word_set
from extractors.english_spans import is_finite_or_verb, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_GENERIC = word_set("""
    issue issues problem problems situation situations context contexts
    case cases scenario scenarios matter matters point points step steps action actions approach behavior behaviour
    process state event events fact facts circumstances area areas item items
""")
_POINTERS = word_set("""
    this that these those it they such same
""")
_SHELLS = word_set("""
    change changes decision decisions move moves failure failures incident incidents error errors bug bugs condition
    conditions delay delays configuration configurations response responses result results effect effects trend trends
    finding findings development developments factor factors number numbers policy policies practice practices way ways
    outcome outcomes discovery fix method methods feature features use one ones thing things type types kind kinds
    setup design designs work task tasks operation operations request requests update updates reason reasons cause
    causes set lack loss losses increase decrease flaw flaws oversight discrepancy bottleneck failover rollout asymmetry
    imbalance mismatch gap surge spike drop
""")
"""Nouns that after *this* or *these* only point back, as names of events do; *these gases* says what it is."""
_UNNAMED = word_set("""
    factors issues problems reasons events things circumstances conditions causes changes errors
""")
_AMOUNTS = word_set("""
    spike spikes surge surges wave waves rise increase jump flood burst drop fall peak
""")
_COUNTED = word_set("""
    key main major several multiple various different contributing other further additional many important
""")


def is_doubtful_end(span: Span, sentence: Span, candidate: Candidate) -> bool:
    """Whether a reader would stumble over this end."""
    return (
        _is_open(span)
        or _is_vague(span)
        or (candidate.rule not in SHARED_SUBJECT and _has_no_subject(span))
        or _is_cut(span, sentence, candidate)
        or _starts_late(span)
    )


def _is_open(span: Span) -> bool:
    """A quotation that does not close within the end."""
    return sum(t.text.count('"') for t in span) % 2 == 1


def _is_cut(span: Span, sentence: Span, candidate: Candidate) -> bool:
    """An end that stops in the middle of a compound: *duplicate network | calls*."""
    if not sentence.start < span.end < sentence.end or span.start < sentence.start:
        return False
    last, after = span[-1], span.doc[span.end]
    if span.start >= candidate.cue[1] and (_lists_more(sentence, after) or _acts_on(sentence, after)):
        return True
    if not last.tag_.startswith(("NN", "JJ")) or candidate.cue[0] <= after.i < candidate.cue[1]:
        return False
    if after.tag_ in ("NN", "NNS") and after.lower_ not in TIME_NOUNS:
        return not last.tag_.startswith("JJ") or after.head.i >= span.end
    named = subject_of(after)
    misread = after.tag_ == "VBZ" and after.lower_ not in ("is", "has", "does", "'s")
    misread = misread and (named is None or named.i >= span.start)
    return misread and span.start >= candidate.cue[1] and (len(span) == 1 or candidate.anchor.dep_ != "relcl")


def _starts_late(span: Span) -> bool:
    """A sentence that the parser began in the middle of one: small letters after a word that ends nothing."""
    first = span[0]
    if first.i != span.sent.start or first.i == 0 or not first.text[0].islower():
        return False
    return first.nbor(-1).text not in (".", "!", "?", ":", ";") and not first.nbor(-1).is_space


def _acts_on(sentence: Span, after: Token) -> bool:
    """What the named thing does or undergoes: *causing riders | to wait*, *led to half of them | in town closing*."""
    rest = sentence.doc[after.i : min(after.i + 8, sentence.end)]
    if after.tag_ == "TO":
        return len(rest) > 1 and rest[1].tag_ == "VB"
    if after.tag_ != "IN":
        return False
    for token in rest:
        if token.is_punct or token.tag_ in ("WDT", "WRB", "CC"):
            return False
        if token.tag_ in ("VBG", "TO") and token.nbor(-1).tag_.startswith("NN"):
            return token.tag_ == "VBG" or (after.lower_ == "for" and token.head.tag_ == "VB")
    return False


def _has_no_subject(span: Span) -> bool:
    """A clause in the past or present tense that begins with its verb in the middle of a sentence."""
    root = span.root
    tensed = root.tag_ in ("VBD", "VBZ") or (root.tag_ == "VBN" and root.dep_ == "conj")
    if span.start <= root.sent.start or not tensed or subject_of(root) is not None:
        return False
    return all(t.tag_ in ("RB", "VBD", "VBZ", "MD") for t in span.doc[span.start : root.i])


def _lists_more(sentence: Span, after: Token) -> bool:
    """Whether a further noun phrase is joined on, which is not the subject of a clause: *to delays | and lost bags*."""
    doc, i = sentence.doc, after.i + 1
    if after.lower_ not in ("and", "or", ","):
        return False
    if after.text == "," and i < sentence.end and doc[i].tag_ == "CC":
        i += 1
    first, i = i, noun_phrase_end(sentence, i)
    if i == first or doc[first].tag_ == "VBG":
        return False
    if after.text == "," and first == after.i + 1:
        for token in doc[i : sentence.end]:
            if token.tag_ in ("VBD", "VBZ", "VBP", "MD", "WDT", "WP", "WRB", "VBG"):
                break
            if token.tag_ == "CC" and token.nbor(-1).text == ",":
                return True
        return i < sentence.end and (doc[i].tag_ == "CC" or doc[i].text == ",")
    return i >= sentence.end or doc[i].tag_ not in ("VBD", "VBZ", "VBP", "MD", "RB")


def _is_vague(span: Span) -> bool:
    """*the issue*, *these changes*, *fixing this*: what it is stands elsewhere."""
    root = span.root
    last = span[-1]
    if (
        root == last
        and root.lower_ in _UNNAMED
        and all(t.tag_ in ("CD", "DT") or t.lower_ in _COUNTED for t in span[:-1])
    ):
        return True
    if last.lower_ in _UNNAMED and span[-2:].text.lower().startswith("of ") and root.i < last.i:
        return root.lower_ not in _AMOUNTS  # *a set of errors*: which ones? *a spike of errors* says what happened
    if _is_bare(root, span, pointed=True) or (len(span) <= 4 and any(_points(t) for t in span)):
        return True
    if not is_finite_or_verb(root):
        return False
    return any(
        span.start <= c.i < span.end
        and (
            (c.dep_ in ("nsubj", "nsubjpass") and ((_points(c) and c.lower_ != "that") or _is_bare(c, span)))
            or (c.dep_ == "dobj" and len(span) < 8 and _is_bare(c, span))
        )
        for c in root.children
    )


def _points(token: Token) -> bool:
    """Whether *this* or *these* stands alone, without a noun after it."""
    if token.lower_ not in ("this", "that", "these", "those") or token.tag_ != "DT":
        return False
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    return after is None or not after.tag_.startswith(("NN", "JJ", "VBN", "VBG", "CD", "RB"))


def _is_bare(noun: Token, span: Span, *, pointed: bool = False) -> bool:
    """Whether the noun says too little without a modifier; with ``pointed``, also a shell noun after *this*."""
    rest = [t for t in noun.subtree if t.i != noun.i and span.start <= t.i < span.end and not t.is_punct]
    points_back = noun.lower_ in _SHELLS or is_event(span.doc, (noun.i, noun.i + 1))
    by_pointer = pointed and points_back and any(t.lower_ in _POINTERS for t in rest)
    if not noun.tag_.startswith("NN") or (noun.lower_ not in _GENERIC and not by_pointer):
        return False
    return all(t.tag_ in ("DT", "PRP$", "PDT") or t.lower_ in _POINTERS for t in rest)


__all__ = ["is_doubtful_end"]
