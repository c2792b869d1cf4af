"""Conjunctions, prepositions and adverbs that link clauses: *because*, *due to*, *therefore*, *after*, *not only*."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Span, Token

from extractors.english_candidates import Candidate, modality_of, negated_before, polarity_of
from extractors.english_cues import (
    CAUSAL, LINKS, PHRASE_STARTS, RESULT_ADVERBS, SEQUENTIAL, SUPPORTING,
)  # fmt: skip
from extractors.english_spans import Range, clause, clause_end, full_verb, is_finite_or_verb, noun_phrase, subject_of, whole_noun, with_gerund
from storage.records import Modality, Polarity, RelationType

_STATIVE = frozenset("is are 's 're has have had was were did do does can could cannot need needs needed know knew want "
                     "wanted lack lacks lacked contain contains require requires required".split())  # fmt: skip
TIME_NOUNS = frozenset("minute minutes hour hours day days week weeks month months year years second seconds while time "
                        "moment point am pm date decade decades".split())  # fmt: skip
_SO_DEGREE = frozenset("far long much many on forth called".split())
_PLANS = frozenset("plan plans schedule schedules law rules rule".split())


def main_clause(subordinate: Token) -> tuple[Token, Range] | None:
    """The verb that a subordinate clause or phrase hangs on, and its clause kept clear of the subordinate one."""
    governor = subordinate.head
    while not is_finite_or_verb(governor):
        if governor.head == governor:
            return None
        governor = governor.head
    left, right = subordinate.left_edge.i, subordinate.right_edge.i + 1
    governor = full_verb(governor)
    if left > governor.i:
        return governor, clause(governor, before=left)
    return governor, clause(governor, after=right)


def _marked(conjunction: Token) -> Token | None:
    """The verb of the clause that the conjunction opens, if that clause hangs on another."""
    verb = conjunction.head
    if conjunction.dep_ not in ("mark", "advmod", "prep") or not is_finite_or_verb(verb) or verb.i < conjunction.i:
        return None
    return verb if verb.dep_ in ("advcl", "ccomp", "xcomp", "acl") and verb.head != verb else None


def _subordinate(conjunction: Token, verb: Token, cue_end: int) -> Range:
    return cue_end, clause_end(verb)


def clause_pair(conjunction: Token, cue_end: int) -> tuple[Token, Range, Token, Range] | None:
    verb = _marked(conjunction)
    if verb is None:
        return None
    found = main_clause(verb)
    if found is None:
        return None
    governor, main = found
    if verb.i > governor.i and main[1] > conjunction.i:
        main = main[0], conjunction.i
    return verb, _subordinate(conjunction, verb, cue_end), governor, main


def because(token: Token, sentence: Span, previous: Range | None) -> Iterator[Candidate]:
    """*Y because X*, *since* where it gives a reason rather than a time."""
    pair = clause_pair(token, token.i + 1)
    if pair is None or token.i + 1 >= sentence.end or token.nbor().lower_ == "of":
        return
    verb, reason, governor, main = pair
    confidence = 0.85
    if token.lower_ == "since":
        if not _gives_reason(token, verb, governor):
            return
        confidence = 0.6
    yield Candidate(CAUSAL, "reason", reason, main, (token.i, token.i + 1), confidence, token.lower_, governor,
                    negated_before(token), _connective_modality(token, governor))  # fmt: skip


def _gives_reason(since: Token, verb: Token, governor: Token) -> bool:
    if any(c.dep_ == "aux" and c.lower_ in ("has", "have", "had", "'ve", "'s") and governor.tag_ == "VBN" for c in governor.children):
        return False
    if since.i > 0 and since.nbor(-1).lower_ in ("ever", "long") or subject_of(verb) is None:
        return False
    stative = verb.lower_ in _STATIVE or any(c.lower_ in _STATIVE or c.dep_ == "neg" for c in verb.children)
    return stative or verb.tag_ in ("VBZ", "VBP")


def _connective_modality(cue: Token, governor: Token) -> Modality:
    """A connective takes on a question or a hedge of its own; a modal in its main clause belongs to that clause."""
    found = modality_of(cue, cue_start=cue.i)
    if found is Modality.ASSERTED and modality_of(governor) is Modality.HYPOTHETICAL and governor.sent[-1].text == "?":
        return Modality.HYPOTHETICAL
    return found


def so(token: Token, sentence: Span, previous: Range | None) -> Iterator[Candidate]:
    """*X, so Y*; *X so that Y* (a purpose if a modal follows); *so slow that Y*."""
    doc, i = token.doc, token.i
    if i + 1 >= sentence.end or token.nbor().lower_ in _SO_DEGREE:
        return
    following = token.nbor()
    if following.lower_ == "that":
        pair = clause_pair(token, i + 2)
        if pair is not None:
            verb, result, governor, main = pair
            purpose = any(c.dep_ == "aux" and c.tag_ == "MD" for c in verb.children) or verb.tag_ in ("VBP", "VBZ", "VB")
            if purpose:
                yield Candidate(CAUSAL, "purpose", result, main, (i, i + 2), 0.4, "so-that:purpose", governor)
            else:
                yield Candidate(CAUSAL, "result", main, result, (i, i + 2), 0.6, "so-that", governor)
        return
    if token.dep_ == "advmod" and token.head.tag_ in ("JJ", "RB") and token.head.i > i:
        yield from _so_degree(token, token.head)
        return
    comma = i - 1
    if comma > sentence.start and doc[comma].lower_ == "and":
        comma -= 1
    verb = token.head
    if comma <= sentence.start or doc[comma].text not in (",", ";") or not is_finite_or_verb(verb) or verb.i < i:
        return
    subject = subject_of(verb)
    if subject is None or subject.left_edge.i - i > 1 and doc[i + 1].text != ",":
        return
    first = verb.head if verb.head.i < i else next((c for c in verb.children if c.dep_ == "ccomp" and c.i < i), None)
    if first is None or not is_finite_or_verb(first):
        return
    yield Candidate(CAUSAL, "result", clause(first, before=comma), clause(verb, after=i + 1), (i, i + 1), 0.65, "so",
                    verb, modality=modality_of(token))  # fmt: skip


def _so_degree(token: Token, quality: Token) -> Iterator[Candidate]:
    for clause_verb in [c for h in (quality, quality.head) for c in h.rights if c.dep_ in ("ccomp", "advcl")]:
        mark = next((c for c in clause_verb.lefts if c.lower_ == "that" and c.dep_ == "mark"), None)
        governor = quality.head
        if mark is None or mark.i < quality.i or not is_finite_or_verb(governor) or subject_of(clause_verb) is None:
            continue
        yield Candidate(CAUSAL, "result", clause(governor, before=mark.i), (mark.i + 1, clause_end(clause_verb)),
                        (token.i, token.i + 1), 0.7, "so-degree", governor)  # fmt: skip
        return


def phrase(token: Token, sentence: Span, previous: Range | None) -> Iterator[Candidate]:
    """A fixed phrase before a noun phrase or gerund: *due to X*."""
    doc, start = token.doc, token.i
    matches = [p for p in PHRASE_STARTS.get(token.lower_, ())
               if tuple(t.lower_ for t in doc[start : min(start + len(p.words), sentence.end)]) == p.words]  # fmt: skip
    if not matches:
        return
    cue = max(matches, key=lambda p: len(p.words))
    end = start + len(cue.words)
    target = next((t for t in doc[end : sentence.end] if t.dep_ in ("pobj", "pcomp") and start <= t.head.i < end), None)
    if target is None:
        return
    reason = (end, with_gerund(target, clause_end(target) if is_finite_or_verb(target) else noun_phrase(target)[1]))
    if cue.type is SUPPORTING and (target.tag_ == "PRP" or target.lower_ in _PLANS):
        return
    found = host(token, start, reason[1], sentence)
    if found is None:
        return
    anchor, other, polarity = found
    if cue.subtype == "addition" and start != sentence.start:
        return
    yield Candidate(cue.type, cue.subtype, reason, other, (start, end), cue.confidence, f"phrase:{'-'.join(cue.words)}",
                    anchor, polarity if cue.type is CAUSAL else Polarity.AFFIRMED, _phrase_modality(token, anchor))  # fmt: skip


def _phrase_modality(token: Token, anchor: Token) -> Modality:
    predicative = token.dep_ == "acomp" or anchor.lower_ in ("is", "was", "were", "are", "be")
    return modality_of(anchor if predicative else token, cue_start=token.i)


def host(token: Token, start: int, end: int, sentence: Span) -> tuple[Token, Range, Polarity] | None:
    """What a causal phrase explains: the subject of *be*, the noun it hangs on, or the clause around it."""
    head = token.head
    polarity = negated_before(token)
    be = head if head.lower_ in ("is", "was", "were", "are", "be", "been", "being", "'s") else None
    if be is not None and token.i > be.i and all(_is_lenient(t) for t in token.doc[be.i + 1 : start]):
        subject = subject_of(be)
        if subject is None or subject.tag_ in ("PRP", "DT", "WDT", "EX", "WP"):
            return None
        negated = polarity_of(be) is Polarity.NEGATED or polarity is Polarity.NEGATED
        return be, noun_phrase(subject, be.i), Polarity.NEGATED if negated else Polarity.AFFIRMED
    noun = whole_noun(head)
    if head.tag_.startswith("NN") and head.i < start and noun.dep_ in ("nsubj", "nsubjpass", "ROOT"):
        return noun, noun_phrase(noun, start), polarity
    governor = head
    while not is_finite_or_verb(governor) or (governor.dep_ in ("amod", "pcomp")):
        if governor.head == governor:
            noun = whole_noun(head) if head.tag_.startswith("NN") else governor
            return (noun, noun_phrase(noun, start), polarity) if noun.i < start and noun.tag_.startswith("NN") else None
        governor = governor.head
    governor = full_verb(governor)
    if start > governor.i:
        return governor, clause(governor, before=start), polarity
    main = clause(governor, after=end)
    if not any(t.text in (",", "-", "–", "—") for t in sentence.doc[end - 1 : max(main[0], end) + 1]):
        return None  # a fronted phrase without a comma: where it ends is a guess
    return governor, main, polarity


def _is_lenient(token: Token) -> bool:
    """Words that may stand between *be* and its *due to*."""
    return token.dep_ == "neg" or token.lower_.endswith("ly") or token.lower_ in ("not", "also", "in", "part", "all", "just")


def result_adverb(token: Token, sentence: Span, previous: Range | None) -> Iterator[Candidate]:
    """*X and therefore Y*; *X; consequently, Y*; *X is therefore Y* with the cause in the sentence before."""
    verb = token.head
    if token.dep_ != "advmod" or not is_finite_or_verb(verb) or token.i == sentence.start:
        return
    confidence = RESULT_ADVERBS[token.lower_]
    yield from _adverb(token, verb, sentence, previous, confidence, f"adverb:{token.lower_}", "result", CAUSAL)


def then_adverb(token: Token, sentence: Span, previous: Range | None) -> Iterator[Candidate]:
    """*X and then Y*: earlier, later."""
    verb = token.head
    if token.dep_ != "advmod" or not is_finite_or_verb(verb) or token.i == sentence.start:
        return
    if verb.dep_ != "conj" or verb.tag_ not in ("VBD", "VBN") or any(c.dep_ == "advcl" and c.i < token.i for c in verb.children):
        return
    if token.lower_ == "later" and token.nbor(-1).lower_ in TIME_NOUNS | {"no"} or verb.head.tag_ not in ("VBD", "VBN"):
        return
    yield from _adverb(token, verb, sentence, None, 0.65, f"adverb:{token.lower_}", "then", SEQUENTIAL)


def _adverb(token: Token, verb: Token, sentence: Span, previous: Range | None, confidence: float, rule: str,
            subtype: str, kind: RelationType) -> Iterator[Candidate]:  # fmt: skip
    first = verb.head if verb.dep_ == "conj" else next((c for c in verb.lefts if c.dep_ in ("ccomp", "parataxis")), None)
    cue = (token.i, token.i + 1)
    if first is not None and first.i < token.i and is_finite_or_verb(first):
        own = subject_of(verb)
        start = own.left_edge.i if own is not None else min(token.i + 1, verb.i)
        later = (start, clause_end(verb)) if start > first.i else clause(verb, after=token.i + 1)
        link = min(token.i, start)
        earlier = clause(first, before=link)
        if start < token.i < later[1]:  # the cue stands inside the later clause: take the part after the subject too
            later = (start, clause_end(verb))
        yield Candidate(kind, subtype, earlier, later, cue, confidence, rule, verb, modality=modality_of(verb))
    elif previous is not None and verb.dep_ == "ROOT":
        yield Candidate(kind, subtype, previous, clause(verb), cue, confidence - 0.05, rule, verb,
                        modality=modality_of(verb))  # fmt: skip


def link(sentence: Span, previous: Range | None, statement: Range | None) -> Iterator[Candidate]:
    """A link at the start of a sentence to the sentence before it."""
    if previous is None or statement is None:
        return
    doc, start = sentence.doc, sentence.start
    while start < sentence.end and (doc[start].tag_ == "CC" or doc[start].is_punct or doc[start].is_space):
        start += 1
    for cue in LINKS:
        end = start + len(cue.words)
        if tuple(t.lower_ for t in doc[start:end]) != cue.words or end >= sentence.end:
            continue
        if cue.needs_comma and doc[end].text != "," or doc[end].lower_ in ("of", "to", "-", "than", "far"):
            continue
        this = max(statement[0], end), statement[1]
        head, tail = (previous, this) if cue.previous_first else (this, previous)
        yield Candidate(cue.type, cue.subtype, head, tail, (start, end), cue.confidence, f"link:{'-'.join(cue.words)}",
                        sentence.root, modality=modality_of(doc[start]))  # fmt: skip
        return


__all__ = ["TIME_NOUNS", "because", "clause_pair", "host", "link", "main_clause", "phrase", "result_adverb", "so",
           "then_adverb"]  # fmt: skip
