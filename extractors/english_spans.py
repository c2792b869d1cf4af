"""Where the words of one end of a relation begin and end in a parsed English sentence.

Ranges are half-open pairs of token positions of the document. The rules follow what human annotators mark: a clause
from its subject to its end without fronted adverbials, without the clauses joined to it and without speech frames; a
noun phrase with its modifiers but without relative clauses and appositions after a comma.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractors.english_cues import SPEECH_VERBS
from extractors.english_lexicon import TIME_NOUNS, word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

Range = tuple[int, int]

NOUN_PHRASE_TAGS = frozenset({"DT", "JJ", "JJR", "NN", "NNS", "NNP", "NNPS", "VBN", "VBG", "CD", "HYPH", "PRP$", "POS"})
"""What may stand in a noun phrase without its prepositional phrases."""

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
COMPLEMENTS = frozenset({"dobj", "ccomp", "xcomp", "oprd", "dative", "attr", "nsubj", "obj"})
_AFTER_COMMA = frozenset({"relcl", "appos", "acl", "advcl"})
_CLAUSE_STOPS = frozenset({";", ":", "--", "—", "–", " - ", "•", "|", "→", "->", "=>"})
_UNITS = frozenset("%‰°$€£¥")  # signs that belong to the number beside them
_EDGE_TAGS = frozenset({"CC", ".", ",", ":", "``", "''", "_SP", "HYPH", "NFP", "SYM"})
_EDGE_WORDS = frozenset({"and", "but", "or", "that", "also", "however", "so", "then", "-", "–", "—", "*", "#", "/"})
_CLOSERS = {"(": ")", "[": "]", "{": "}"}


def trimmed(sentence: Span, start: int, end: int) -> Range | None:
    """``[start, end)`` within the sentence without conjunctions and punctuation at its edges; None if empty."""
    doc = sentence.doc
    start, end = max(start, sentence.start), min(end, sentence.end)
    while start < end and _is_edge(doc[start]):
        start += 1
    while (
        start < end and (_is_edge(doc[end - 1]) or doc[end - 1].lower_ in _LOOSE_ENDS) and not _closes(doc, start, end)
    ):
        end -= 1
    while start > sentence.start and doc[start - 1].text in ("-", '"-') and not doc[start - 1].whitespace_:
        start -= 1 if start - 1 == sentence.start or doc[start - 2].whitespace_ else 2  # the whole hyphenated word
    while (
        start < end < sentence.end - 1
        and doc[end].text == "-"
        and not (doc[end - 1].whitespace_ or doc[end].whitespace_)
    ):
        end += 2
    for opener, closer in _CLOSERS.items():
        words = [t.text for t in doc[start:end]]
        if words.count(opener) > words.count(closer):  # an opened bracket that does not close belongs to the rest
            end = start + max(i for i, w in enumerate(words) if w == opener)
            return trimmed(sentence, start, end)
        if words.count(closer) > words.count(opener) and words[-1:] == [closer]:
            return trimmed(sentence, start, end - 1)
    return (start, end) if start < end else None


_LOOSE_ENDS = word_set("""
    not only just but probably possibly perhaps partly mainly largely mostly likely both either
""")


def _is_edge(token: Token) -> bool:
    if token.text in _UNITS or (token.tag_ == "DT" and token.dep_ in SUBJECTS):
        return False  # *that* of *that is fine*
    return token.tag_ in _EDGE_TAGS or token.is_punct or token.is_space or token.lower_ in _EDGE_WORDS


def _closes(doc: Doc, start: int, end: int) -> bool:
    token = doc[end - 1]
    return token.text in _CLOSERS.values() and any(t.text in _CLOSERS for t in doc[start:end])


def is_finite_or_verb(token: Token) -> bool:
    """Whether the token heads a clause."""
    if token.tag_.startswith("VB") or token.tag_ == "MD":
        return True
    return token.tag_ == "JJ" and any(c.dep_ in ("auxpass", "nsubjpass") for c in token.children)  # *was disabled*


def subject_of(verb: Token) -> Token | None:
    """The verb's own subject."""
    return next((c for c in verb.children if c.dep_ in SUBJECTS and c.dep_ != "expl"), None) or next(
        (c for c in verb.lefts if c.dep_ == "expl"), None
    )


def noun_phrase(noun: Token, before: int | None = None) -> Range:
    """The noun's phrase: its subtree up to a comma before a relative clause, an apposition or a participle.

    ``before`` ends it earlier: the position where the cue's own material starts.
    """
    start, end = noun.left_edge.i, noun.right_edge.i + 1
    if before is not None and before > noun.i:
        end = min(end, before)
    doc = noun.doc
    while start < noun.i and doc[start].tag_ in ("IN", "TO", "CC", ",", ":") and doc[start].head.i >= noun.i:
        start += 1
    for child in noun.rights:
        if child.i >= end:
            break
        left = child.left_edge.i
        if child.dep_ in _AFTER_COMMA and left > noun.i and doc[left - 1].text in (",", "-", "--", "–", "—"):
            end = min(end, left - 1)
        elif child.dep_ == "conj" and child.tag_.startswith("VB") and child.tag_ != "VBG":
            end = min(end, left)
    return start, _stopped(doc, noun.i, end)


def _stopped(doc: Doc, start: int, end: int) -> int:
    """The end, or the first mark after ``start`` that no single clause or phrase runs across."""
    for i in range(start + 1, end):
        if doc[i].text in _CLAUSE_STOPS:
            return i
    return end


def clause(verb: Token, *, after: int | None = None, before: int | None = None) -> Range:
    """The clause of ``verb`` from its subject; ``after`` and ``before`` keep it clear of the cue and its clause."""
    verb = stated(verb, before)
    subject = subject_of(verb)
    start = clause_start(verb, subject)
    end = verb.right_edge.i + 1
    doc = verb.doc
    for child in verb.rights:
        left = child.left_edge.i
        joined = child.dep_ == "conj" and subject_of(child) is not None
        loose = child.dep_ in ("parataxis", "advcl") and doc[left - 1].text in (",", "-", "--") and child.i > verb.i
        reason = child.dep_ == "advcl" and doc[left].lower_ == "because" and left > verb.i
        if joined or loose or reason:
            end = min(end, _without_link(doc, left, verb.i))
            break
    if before is not None and before > verb.i:
        end = min(end, before)
    if after is not None and after <= verb.i:
        start = max(start, after)
    return start, _stopped(doc, verb.i, end)


def stated(verb: Token, before: int | None = None) -> Token:
    """What a verb of speech or thought says, if that stands wholly before ``before``; else the verb itself."""
    while verb.lower_ in SPEECH_VERBS:
        said = next((c for c in verb.children if c.dep_ == "ccomp"), None)
        if said is None or (before is not None and said.i >= before):
            break
        verb = said
    return verb


def with_gerund(target: Token, end: int) -> int:
    """The end moved over *(not) V-ing* right after it: *parcels not being delivered* is one cause."""
    doc = target.doc
    i = end
    while i < target.sent.end and doc[i].lower_ in ("not", "never", "being"):
        i += 1
    if i >= target.sent.end or (i == end and doc[i].tag_ != "VBG") or doc[i].tag_ not in ("VBG", "VBN", "JJ"):
        return end
    return max(end, clause_end(doc[i]))


def object_of(preposition: Token) -> Token | None:
    """What follows the preposition."""
    return next((c for c in preposition.rights if c.dep_ in ("pobj", "pcomp")), None)


def with_place(verb: Token, end: int) -> int:
    """The end moved over phrases like *in a file* that the parser hangs on the verb; times do belong to the verb."""
    for child in verb.rights:
        if (
            child.left_edge.i == end
            and child.dep_ == "prep"
            and child.lower_ in ("in", "of", "between", "with", "within", "across", "for", "on", "among", "during")
        ):
            target = object_of(child)
            dated = target is not None and target.tag_ == "NNP" and child.lower_ in ("in", "on", "during", "for")
            if target is None or target.tag_ == "CD" or dated or target.lower_ in TIME_NOUNS:
                break
            end = noun_phrase(target)[1]
    return end


def _without_link(doc: Doc, left: int, floor: int) -> int:
    """``left`` moved before the conjunction and comma that stand right before it."""
    while left - 1 > floor and (doc[left - 1].tag_ in ("CC", ",", ":") or doc[left - 1].lower_ in ("so", "then")):
        left -= 1
    return left


def whole_noun(noun: Token) -> Token:
    """*cracks in the wall of the dam*: the noun at the top of a chain of prepositional phrases."""
    while noun.dep_ == "pobj" and noun.head.head.tag_.startswith("NN") and noun.head.head.i < noun.i:
        noun = noun.head.head
    return noun


def full_verb(verb: Token) -> Token:
    """The verb whose clause *verb* completes: infinitives and *than expected* have no subject of their own."""
    while subject_of(verb) is None and verb.dep_ in ("xcomp", "ccomp", "advcl", "pcomp", "oprd") and verb.tag_ != "VBG":
        above = verb.head
        while not is_finite_or_verb(above) and above.head != above and not above.tag_.startswith("NN"):
            above = above.head
        if not is_finite_or_verb(above) or above.i > verb.i or above == verb:
            break
        verb = above
    return verb


def clause_start(verb: Token, subject: Token | None) -> int:
    """The subject's left edge; for a later conjunct without one, the subject it shares if little stands between."""
    noun = verb.head
    if subject is not None and subject.tag_ in ("WDT", "WP") and verb.dep_ == "relcl" and noun.i < verb.i:
        return noun_phrase(whole_noun(noun))[0]
    if subject is None and verb.dep_ == "acl" and verb.tag_ in ("VBN", "VBG", "VBD") and noun.i < verb.i:
        return noun_phrase(whole_noun(noun))[0]
    if subject is None and verb.dep_ == "ROOT":  # a note: *Node restarted*, read as something else
        first = next((c for c in verb.lefts if c.dep_ not in ("advcl", "prep", "mark", "cc", "punct", "advmod")), verb)
        return first.left_edge.i
    if subject is not None:
        start = subject.left_edge.i
        aux = [c.i for c in verb.lefts if c.dep_ in ("aux", "auxpass") and c.i < start]
        doc = verb.doc
        while start < subject.i and doc[start].dep_ in ("cc", "punct", "preconj", "mark"):
            start += 1
        return min([start, *aux])
    if verb.dep_ == "conj" and verb.head.i < verb.i and is_finite_or_verb(verb.head):
        shared = subject_of(verb.head)
        if shared is not None and verb.i - shared.i <= 14:  # a longer first conjunct is another event
            return shared.left_edge.i
    lefts = [c.left_edge.i for c in verb.lefts if c.dep_ in ("aux", "auxpass", "neg", "nsubj", "prt")]
    return min([verb.i, *lefts])


def complement(verb: Token) -> Range | None:
    """The verb's objects and complements after it, with the prepositional phrases that follow them directly."""
    parts = [c for c in verb.rights if c.dep_ in COMPLEMENTS]
    if not parts:
        return None
    doc = verb.doc
    start = parts[0].left_edge.i
    end = _phrase_end(parts[0])
    for child in verb.rights:
        left = child.left_edge.i
        if left < end or child == parts[0]:
            continue
        if child.dep_ in COMPLEMENTS and (left <= end + 1 or child.tag_ == "VB"):  # *X, both here and there, to fail*
            end = _phrase_end(child)
        elif (child.dep_ == "prep" and left == end and child.lower_ not in _CAUSE_PREPOSITIONS) or (
            child.dep_ in ("advmod", "npadvmod", "prt") and left == end
        ):
            end = child.right_edge.i + 1
        else:
            break
    return start, _stopped(doc, start, _resumed(verb, start, end))


_ASIDES = word_set("""
    both all most many some including such especially particularly mostly mainly even either
""")


def _resumed(verb: Token, start: int, end: int) -> int:
    """The end moved over *to V* after an aside between commas: *caused X, both here and there, to V*."""
    doc, last = verb.doc, verb.sent.end
    opening = next((i for i in range(start, min(end + 1, last - 1)) if doc[i].text == ","), None)
    if opening is None or doc[opening + 1].lower_ not in _ASIDES:
        return end
    for i in range(opening + 2, min(opening + 12, last - 2)):
        if doc[i].text == "," and doc[i + 1].tag_ == "TO" and doc[i + 2].tag_ == "VB":
            return max(end, clause_end(doc[i + 2]))
    return end


_CAUSE_PREPOSITIONS = frozenset({"because", "due", "owing", "as", "by", "after", "before", "since", "thanks", "until",
                                 "when", "while", "during", "according"})  # fmt: skip


def _phrase_end(token: Token) -> int:
    if is_finite_or_verb(token):
        return clause_end(token)
    return noun_phrase(token)[1]


def clause_end(verb: Token) -> int:
    """Where the clause of ``verb`` ends: before a clause joined to it or a loose one after a comma."""
    end = verb.right_edge.i + 1
    doc = verb.doc
    for child in verb.rights:
        left = child.left_edge.i
        joined = child.dep_ == "conj" and subject_of(child) is not None
        if joined or (child.dep_ in _AFTER_COMMA and left > verb.i + 1 and doc[left - 1].text == ","):
            end = _without_link(doc, left, verb.i)
            break
    return _stopped(doc, verb.i, _before_comment(doc, verb.i, end))


def _before_comment(doc: Doc, start: int, end: int) -> int:
    """The end, or the comma before a *which* that comments on what was said."""
    for i in range(start + 1, end - 1):
        if doc[i].text == "," and doc[i + 1].lower_ == "which" and doc[i + 1].tag_ == "WDT":
            return i
    return end


def end_of(word: Token) -> int:
    """Where what hangs on a word ends: its clause, or of a noun its phrase."""
    return clause_end(word) if is_finite_or_verb(word) else noun_phrase(word)[1]


__all__ = ["COMPLEMENTS", "NOUN_PHRASE_TAGS", "SUBJECTS", "Range", "clause", "clause_end", "clause_start", "complement",
           "end_of", "full_verb", "is_finite_or_verb", "noun_phrase", "object_of", "stated", "subject_of", "trimmed",
           "whole_noun", "with_gerund", "with_place"]  # fmt: skip
