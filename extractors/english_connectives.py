"""Conjunctions, prepositions and adverbs that link clauses: *because*, *due to*, *therefore*, *after*, *not only*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, negated_before, polarity_of
from extractors.english_cues import (
    CAUSAL,
    NOMINAL_CAUSES,
    PHRASE_STARTS,
    SHOWING_VERBS,
    SPEECH_VERBS,
    SUPPORTING,
)  # fmt: skip
from extractors.english_lexicon import TIME_NOUNS, word_set
from extractors.english_spans import (
    Range,
    clause,
    clause_end,
    end_of,
    full_verb,
    is_finite_or_verb,
    noun_phrase,
    subject_of,
    whole_noun,
    with_gerund,
    with_place,
)
from storage.records import Modality, Polarity

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_STATIVE = word_set("""
    is are 's 're has have had was were did do does can could cannot need needs needed know knew want wanted lack
    lacks lacked contain contains require requires required
""")
_MILESTONES = word_set("""
    began begin started start opened open founded launched introduced established created formed adopted installed
    became become joined took taken came arrived left moved closed ended finished died born married retired returned
    elected appointed met grew released published
""")
_TRENDS = word_set("""
    doubled tripled halved grew rose fell increased decreased improved worsened declined dropped climbed soared
    continued kept remained
""")
_SPANS_OF_TIME = word_set("""
    always ever every each never steadily gradually constantly repeatedly times twice often already still record
""")
_PLANS = word_set("""
    plan plans schedule schedules law rules rule
""")


def main_clause(subordinate: Token) -> tuple[Token, Range] | None:
    """The verb that a subordinate clause or phrase hangs on, and its clause kept clear of the subordinate one."""
    governor = subordinate.head
    while not is_finite_or_verb(governor):
        if governor.head == governor:
            return None
        governor = governor.head
    left, right = subordinate.left_edge.i, subordinate.right_edge.i + 1
    governor = full_verb(governor)
    if governor.lower_ in SPEECH_VERBS and governor.dep_ == "ccomp" and governor.head.i > governor.i:
        right, governor = governor.i + 1, governor.head  # *because X, she said, Y*
    if left > governor.i:
        return governor, clause(governor, before=left)
    if subject_of(governor) is None and governor.tag_ != "VB":
        return None  # *because a lamp glows does not mean it is safe*
    return governor, clause(governor, after=right)


def _marked(conjunction: Token) -> Token | None:
    """The verb of the clause that the conjunction opens, if that clause hangs on another."""
    verb = conjunction.head
    if conjunction.dep_ not in ("mark", "advmod", "prep") or not is_finite_or_verb(verb) or verb.i < conjunction.i:
        return None
    return verb if verb.dep_ in ("advcl", "ccomp", "xcomp", "acl") and verb.head != verb else None


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
    conditional = conjunction.lower_ in ("if", "when", "whenever")
    if conditional and verb.i < governor.i and governor.dep_ != "ROOT" and not _paused(verb, main[0]):
        return None  # *if it were clear | that X, then Y*: not the main clause
    return verb, (cue_end, _joined_end(verb)), governor, main


def _paused(verb: Token, start: int) -> bool:
    """Whether a comma stands between the clause in front and the main clause."""
    return any(t.text in (",", "-", "--", "–", "—", ":") for t in verb.doc[verb.i + 1 : max(start, verb.i + 1) + 1])


def _joined_end(verb: Token) -> int:
    """The end of the clause with the one joined to it without a comma: *because A was late and B was closed*."""
    end = clause_end(verb)
    later = next((c for c in verb.rights if c.dep_ == "conj" and subject_of(c) is not None), None)
    if later is None or later.left_edge.i - 1 != end or verb.doc[end].lower_ not in ("and", "or"):
        return end
    return clause_end(later)


REASON_WORDS = ("because", "since", "cause", "'cause", "coz", "cuz", "for", "as", "that")
"""Conjunctions that may open a reason, whatever else they do."""


_BEING = frozenset({"is", "was", "'s"})


def _reason_before(cue: Token, governor: Token) -> Token | None:
    """The verb of *Y* in *Z because Y because X*: the nearer reason is what the later one explains."""
    nearer = [c for c in governor.rights if c.dep_ == "advcl" and c.i < cue.i and c.left_edge.lower_ == "because"]
    return nearer[-1] if nearer and cue.lower_ == "because" and cue.i > governor.i else None


def _frames_a_reason(be: Token, cue: Token) -> bool:
    """Whether the main clause is only *(one of) the reasons … is*."""
    named = subject_of(be)
    if be.lower_ not in _BEING or named is None or any(c.dep_ in ("acomp", "attr") and c.i < cue.i for c in be.rights):
        return False
    return any(t.lower_ in NOMINAL_CAUSES for t in named.subtree if t.i <= named.i + 4)


def because(site: Site) -> Iterator[Candidate]:
    """*Y because X*; *since*, *for* and *as* where they give a reason rather than a time or a likeness."""
    token, sentence = site.token, site.sentence
    if token.lower_ == "that" and (token.i == sentence.start or token.nbor(-1).lower_ != "now"):
        return
    pair = clause_pair(token, token.i + 1)
    if pair is None or token.i + 1 >= sentence.end or token.nbor().lower_ == "of":
        return
    verb, reason, governor, main = pair
    if token.i > sentence.start and token.nbor(-1).lower_ in ("just", "only", "simply") and governor.i > verb.i:
        return  # *just because a lamp glows does not mean it is safe*
    before = _reason_before(token, governor)
    if before is not None:
        governor, main = before, (before.left_edge.i + 1, token.i)
    if _frames_a_reason(governor, token):
        return  # *the reason that Y is because X*
    word = token.lower_
    confidence = 0.85
    if word == "since":
        if not _gives_reason(token, verb, governor):
            return
        confidence = 0.6
    elif word in ("for", "as"):
        if not _explains(token, verb, governor):
            return
        confidence = 0.6 if word == "for" else 0.5
    elif word == "that":
        word, confidence = "now-that", 0.6
        main = (main[0], min(main[1], token.i - 1)) if main[0] < token.i - 1 else main
    elif word != "because":
        if token.dep_ != "mark" or subject_of(verb) is None:
            return  # a noun, in most texts
        word = "because"
    yield Candidate(CAUSAL, "reason", reason, main, (token.i, token.i + 1), confidence, word, governor,
                    negated_before(token), _connective_modality(token, governor))  # fmt: skip


_LIKENESS = word_set("""
    said says say told reported noted shown showed seen described mentioned expected known usual stated explained put
    was were is are did does do has have had know see saw think thought
    understand understood recall remember
""")


def _explains(word: Token, verb: Token, governor: Token) -> bool:
    """*Y, as X*; *Y, for X*: after a comma, with a subject and a tense of its own, and no progressive beside it."""
    doc, subject = word.doc, subject_of(verb)
    if word.dep_ != "mark" or word.i <= governor.i or doc[word.i - 1].text not in (",", "(", ";") or subject is None:
        return False
    helpers = [c for c in verb.lefts if c.dep_ in ("aux", "auxpass")]
    if not any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in (verb, *helpers)) or any(t.tag_ == "TO" for t in helpers):
        return False
    if word.lower_ == "for":
        return True
    if word.nbor().lower_ in ("if", "though", "it") and verb.lower_ in ("has", "had", "did", "does", "do", "been"):
        return False  # *as it has for years*
    bare = not any(c.dep_ in ("attr", "acomp", "xcomp", "ccomp", "advcl") or (c.dep_ == "dobj" and c.tag_ != "PRP")
                   for c in verb.rights)  # fmt: skip
    likeness = verb.lower_ in _LIKENESS and bare
    told = verb.lower_ in SPEECH_VERBS | SHOWING_VERBS or verb.lower_ in (
        "wrote",
        "shown",
        "described",
        "mentioned",
        "expected",
    )
    called = any(c.lower_ in ("called", "known") for c in verb.rights) or word.nbor().lower_ in ("if", "though")
    return verb.tag_ != "VBG" and not (likeness or told or called)


def _gives_reason(since: Token, verb: Token, governor: Token) -> bool:
    if any(
        c.dep_ == "aux" and c.lower_ in ("has", "have", "had", "'ve", "'s") and governor.tag_ == "VBN"
        for c in governor.children
    ):
        return False
    if (since.i > 0 and since.nbor(-1).lower_ in ("ever", "long")) or subject_of(verb) is None:
        return False
    if _opens_a_period(verb, governor):
        return False
    stative = verb.lower_ in _STATIVE or any(c.lower_ in _STATIVE or c.dep_ == "neg" for c in verb.children)
    return stative or verb.tag_ in ("VBZ", "VBP") or _past_for_past(since, verb, governor)


def _opens_a_period(verb: Token, governor: Token) -> bool:
    """*Since the mine opened, …*: the clause may name the start of a period in which the rest happens."""
    if any(c.dep_ == "neg" for c in verb.children) or not {verb.tag_, governor.tag_} & {"VBD", "VBN"}:
        return False
    spans = any(
        t.lower_ in _SPANS_OF_TIME for t in governor.subtree if not verb.left_edge.i <= t.i <= verb.right_edge.i
    )
    return spans or verb.lower_ in _MILESTONES


def _past_for_past(since: Token, verb: Token, governor: Token) -> bool:
    """*Since the valve failed, the pump stopped*: in front, both in the simple past, and nothing that spans time."""
    before = [t for t in since.sent if t.i < since.i and not t.is_punct and t.tag_ != "CC"]
    if before or verb.i > governor.i or verb.tag_ not in ("VBD", "VBN") or subject_of(governor) is None:
        return False
    helpers = {c.lower_ for c in governor.children if c.dep_ in ("aux", "auxpass")}
    if not (helpers & {"was", "were", "did", "could"} or (governor.tag_ == "VBD" and not helpers)):
        return False
    gap = verb.doc[verb.right_edge.i + 1] if verb.right_edge.i + 1 < governor.i else governor
    if gap.text != ",":
        return False
    main = [t for t in governor.subtree if t.i > verb.right_edge.i]
    return governor.lower_ not in _TRENDS and not any(t.lower_ in TIME_NOUNS for t in main)


def _connective_modality(cue: Token, governor: Token) -> Modality:
    """A connective takes on a question or a hedge of its own; a modal in its main clause belongs to that clause."""
    found = modality_of(cue, cue_start=cue.i)
    if found is Modality.ASSERTED and modality_of(governor) is Modality.HYPOTHETICAL and governor.sent[-1].text == "?":
        return Modality.HYPOTHETICAL
    return found


_ASIDE = 0.45
"""*Y, given X* says as often what has to be borne in mind as what brought Y about."""


def phrase(site: Site) -> Iterator[Candidate]:
    """A fixed phrase before a noun phrase or gerund: *due to X*."""
    token, sentence = site.token, site.sentence
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
    end -= cue.named
    reason = (end, with_gerund(target, end_of(target)))
    if target.tag_.startswith("NN"):
        for verb in (t for t in target.ancestors if t.tag_.startswith("VB") and t.i <= start):
            reason = reason[0], with_place(verb, reason[1])  # *owing to a typo in the file*
    if cue.type is SUPPORTING and (target.tag_ == "PRP" or target.lower_ in _PLANS):
        return
    found = host(token, start, reason[1], sentence)
    if found is None:
        return
    anchor, other, polarity = found
    aside = cue.words == ("given",) and token.dep_ == "prep" and start > sentence.start and doc[start - 1].text == ","
    if (cue.subtype == "addition" or cue.words == ("given",)) and start != sentence.start and not aside:
        return
    if polarity is Polarity.NEGATED:  # *not due to X but to Y*
        rather = next((t.i for t in doc[reason[0] : reason[1]] if t.lower_ == "but"), reason[1])
        reason = reason[0], rather
    confidence = _ASIDE if aside else cue.confidence
    yield Candidate(cue.type, cue.subtype, reason, other, (start, end), confidence, f"phrase:{'-'.join(cue.words)}",
                    anchor, polarity if cue.type is CAUSAL else Polarity.AFFIRMED,
                    _phrase_modality(token, anchor))  # fmt: skip


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
    if head.tag_.startswith("NN") and head.i < start and noun.dep_ == "pobj" and noun.head.dep_ == "prep":
        above = noun.head.head
        if is_finite_or_verb(above) and noun.i < above.i:
            return noun, noun_phrase(noun, start), polarity  # inside a fronted phrase
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
    return (
        token.dep_ == "neg"
        or token.lower_.endswith("ly")
        or token.lower_ in ("not", "also", "in", "part", "all", "just")
    )


__all__ = ["REASON_WORDS", "because", "clause_pair", "host", "main_clause", "phrase"]
