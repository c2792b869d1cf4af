"""Second looks at a find: what the parse may have misread is not asserted.

A doubted find keeps its place as a possibility: its confidence falls below .5. Each doubt names a kind of sentence in
which a reader who judged finds one by one met more wrong ends than right ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate
from extractors.english_completion import between
from extractors.english_cues import VERBS
from extractors.english_end_doubts import is_doubtful_end
from extractors.english_lexicon import word_set
from extractors.english_spans import Range, is_finite_or_verb, subject_of
from extractors.english_subjects import FINDING_VERBS
from storage.records import RelationType

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

DOUBTED = 0.45
"""What a doubted find is believed at most: a possibility."""

_NEED_A_PLAIN_SENTENCE = ("verb:allow", "verb:enable", "verb:create", "verb:drive",
                          "before", "once")  # fmt: skip
_TAKE_REASONS = ("because", "since", "as", "for", "phrase:", "so", "adverb:", "link:", "result-phrase")
_MAY_BE_ADVISED = (RelationType.CAUSAL, RelationType.PROGRESSIVE)
_HANG_BEHIND = ("because", "since", "as", "for", "phrase:", "after", "before", "once")
_HAPPENING = word_set("""
    began begun started occurred happened ended lasted highlighted highlights underlined underlines illustrated
    revealed reveals exposed exposes
""")
_SETTINGS = word_set("""
    during within after before in at on under while
""")
_ASSUMING = word_set("""
    assume assumes assumed assuming pretend pretended imagine imagined
""")
_ADVISING = word_set("""
    should ought must shall 'd let let's please
""")
_RECOMMENDING = word_set("""
    recommend recommends recommended advise advises advised propose proposes proposed consider considers urge urges
    urged
""")
_GOALS = word_set("""
    ensure ensures ensured ensuring avoid avoids avoided avoiding want wants wanted hope hopes hoped aim aims aimed
    try tries tried trying intend intends intended plan plans planned need needs wish wishes prefer
""")


def weighed(candidate: Candidate, sentence: Span) -> Candidate:
    """The candidate, no longer asserted where one of the doubts holds."""
    if candidate.confidence <= DOUBTED or not _is_doubtful(candidate, sentence):
        return candidate
    return replace(candidate, confidence=DOUBTED)


def _is_doubtful(candidate: Candidate, sentence: Span) -> bool:
    doc = sentence.doc
    spans = [doc[end[0] : end[1]] for end in (candidate.head, candidate.tail)]
    return (
        any(is_doubtful_end(span, sentence, candidate) for span in spans)
        or _is_advice(candidate, sentence)
        or _is_comment(candidate, sentence)
        or _comes_after_more(candidate, sentence)
        or _is_unreal(candidate.anchor)
        or _hangs_loosely(candidate, sentence)
        or _leaves_words(candidate, sentence)
        or (candidate.rule == "since" and candidate.cue[0] > candidate.tail[0] and not _is_state(candidate, sentence))
        or (_needs_a_plain_sentence(candidate.rule) and not _is_plain(candidate, sentence))
    )


def _needs_a_plain_sentence(rule: str) -> bool:
    return rule.startswith(_NEED_A_PLAIN_SENTENCE) and not rule.endswith(":passive")


def _is_state(candidate: Candidate, sentence: Span) -> bool:
    """A *since* after a comma whose clause and main clause both stand in the present: no time from which on."""
    doc = sentence.doc
    verb = doc[candidate.head[0] : candidate.head[1]].root
    present = all(
        any(t.tag_ in ("VBZ", "VBP", "MD") for t in (v, *v.lefts) if t is v or t.dep_ in ("aux", "auxpass"))
        for v in (verb, candidate.anchor)
    )
    return doc[candidate.cue[0] - 1].text == "," and present


def _is_instruction(sentence: Span) -> bool:
    """An imperative: a base form without a subject opens the sentence, at most after an adverb."""
    root = sentence.root
    if root.tag_ not in ("VB", "VBP") or any(c.dep_ in ("nsubj", "nsubjpass", "expl", "csubj", "aux")
                                             and c.lower_ not in ("do", "don't") for c in root.lefts):  # fmt: skip
        return False
    return all(t.is_punct or t.is_space or t.tag_ in ("RB", "UH", "CC", "NFP", "LS") or t.lower_ in ("please", "do")
               for t in sentence.doc[sentence.start : root.i])  # fmt: skip


def _is_advice(candidate: Candidate, sentence: Span) -> bool:
    """A reason for doing something is no cause of its having been done."""
    if not candidate.rule.startswith(_TAKE_REASONS) or candidate.type not in _MAY_BE_ADVISED:
        return False
    anchor = candidate.anchor
    return (
        _is_instruction(sentence)
        or any(c.lower_ in _ADVISING and c.dep_ in ("aux", "intj", "advmod") for c in anchor.children)
        or any(t.lower_ in _RECOMMENDING for t in (anchor, sentence.root))
        or sentence[0].lower_ in ("let", "please")
    )


def _is_comment(candidate: Candidate, sentence: Span) -> bool:
    """A clause before *causing Z* that only tells of a finding, a time or an assumption: the cause lies within."""
    verb, doc = candidate.anchor, sentence.doc
    if not candidate.rule.startswith(("verb:", "participle:")) or verb.tag_ != "VBG":
        return candidate.rule.startswith("verb:") and verb.dep_ == "relcl" and _has_rival(verb)
    root = doc[candidate.head[0] : candidate.head[1]].root
    if not is_finite_or_verb(root):
        return False
    if root.tag_ == "VBG" and candidate.head[0] == root.i > sentence.start and doc[root.i - 1].text == ",":
        return True  # *Y, exceeding X, rendering Z*
    cited = any(t.lower_ in ("due", "because") for t in doc[root.i : verb.i])
    if (root.tag_ == "VB" or cited) and not any(t.text == "," for t in doc[root.i : verb.i]):
        return True
    passive = any(c.dep_ == "auxpass" for c in root.children)
    assumed = root.dep_ == "ccomp" and root.head.lower_ in _ASSUMING
    return assumed or root.lower_ in _HAPPENING or (passive and root.lower_ in FINDING_VERBS)


def _has_rival(verb: Token) -> bool:
    """*a bug during the move that caused Z*, *had to sign papers, which led to Z*: the noun before may not be meant."""
    noun, named = verb.head, subject_of(verb)
    if named is None or noun.dep_ not in ("pobj", "dobj"):
        return False
    if named.lower_ == "which" and verb.doc[max(named.i - 1, 0)].text == ",":
        return noun.head.tag_ == "VB" and noun.dep_ == "dobj"
    preposition = noun.head
    if preposition.head.lower_ in ("is", "was", "are", "were") and noun.dep_ == "pobj":
        return False  # *is in a crisis that was caused by X*
    above = preposition.head
    if named.lower_ == "that" and preposition.lower_ == "of" and above.dep_ == "pobj" and noun.dep_ == "pobj":
        return above.head.head.tag_.startswith("NN")  # *a crack in the wall of the tank that caused X*
    return (
        named.lower_ == "that"
        and noun.dep_ == "pobj"
        and preposition.lower_ != "of"
        and (preposition.head.tag_.startswith("NN") or preposition.lower_ in _SETTINGS)
    )


def _comes_after_more(candidate: Candidate, sentence: Span) -> bool:
    """*A, with B stemming from C*; *due to A, worsened by B*; *until after A*: which word is meant is a guess."""
    doc, cue, verb = sentence.doc, candidate.cue[0], candidate.anchor
    if cue <= sentence.start:
        return False
    before = doc[cue - 1]
    if candidate.rule in ("after", "before"):
        return before.lower_ in ("until", "till")
    if not candidate.rule.startswith("verb:"):
        return False
    if before.text == "," and verb.tag_ == "VBN" and verb.dep_ in ("acl", "advcl") and verb.head.dep_ == "pobj":
        return True
    first = min(candidate.head, candidate.tail)
    return first[1] == cue and any(
        t.lower_ == "with" and t.i > first[0] and t.nbor(-1).text == "," for t in doc[first[0] : first[1]]
    )


def _is_unreal(anchor: Token) -> bool:
    """*would have caused*, *to ensure that it does not cause*: it did not, or is only wished for."""
    helpers = {c.lower_ for c in anchor.lefts if c.dep_ in ("aux", "auxpass")}
    if "have" in helpers and helpers & {"would", "should", "could", "'d", "might"} and "might" not in helpers:
        return True
    token = anchor
    while token.head != token and token.dep_ in ("ccomp", "xcomp", "conj", "advcl", "pcomp"):
        if token.dep_ in ("ccomp", "xcomp", "pcomp") and token.head.lower_ in _GOALS:
            return True
        if token.dep_ == "ccomp" and token.head.lower_ == "sure":
            return True
        token = token.head
    return False


def _hangs_loosely(candidate: Candidate, sentence: Span) -> bool:
    """A reason or time behind a clause that itself hangs on another: which of the two it belongs to is a guess."""
    if not candidate.rule.startswith(_HANG_BEHIND) or candidate.type is RelationType.SUPPORTING:
        return False
    doc, cue = sentence.doc, candidate.cue[0]
    anchor, other = candidate.anchor, _other_end(candidate)
    if other[0] >= cue or cue <= sentence.start:
        return False
    note = anchor.dep_ == "acl" and anchor.head.dep_ == "ROOT" and anchor.tag_ in ("VBN", "VBD")  # *Trains delayed*
    if is_finite_or_verb(anchor) and anchor.dep_ in ("relcl", "acl") and not note:
        return True
    if doc[cue - 1].text == "," and anchor.dep_ in ("advcl", "xcomp", "pcomp"):
        return True
    words = doc[other[0] : other[1]]
    if any(t.lower_ == "but" or (t.lower_ == "with" and t.i > other[0] and t.nbor(-1).text == ",") for t in words):
        return True
    if anchor.lower_ in VERBS and any(c.dep_ == "agent" and c.i < cue for c in anchor.rights):
        return True  # *caused by A due to B*: a chain
    if candidate.rule.startswith("phrase:") and any(t.text == "," for t in doc[max(anchor.i, other[0]) : cue - 1]):
        return True  # *issues included A, B due to C*
    return any(t.tag_ == "VBG" and t.lower_ in VERBS and t.i > other[0] for t in doc[other[0] : other[1]])


def _other_end(candidate: Candidate) -> Range:
    """The end that is not the clause or phrase right after the cue."""
    return candidate.tail if candidate.head[0] >= candidate.cue[1] else candidate.head


def _leaves_words(candidate: Candidate, sentence: Span) -> bool:
    """Words of substance between a subject and its verb, or an infinitive behind an aside, are in neither end."""
    if not candidate.rule.startswith("verb:") or candidate.rule.endswith(":passive"):
        return False
    doc, verb = sentence.doc, candidate.anchor
    first, last = sorted((candidate.head, candidate.tail))
    if first[1] <= verb.i and first[0] >= sentence.start and verb.dep_ in ("ROOT", "ccomp", "relcl"):
        gap = between(doc, first, verb)
        words = [t for t in gap if not t.is_punct]
        aside = bool(gap) and gap[0].text in (",", "(", "-", "–", "—")
        if words and not aside and any(t.tag_.startswith(("NN", "VB")) for t in words) and not _has_relative(words):
            return True
    if any(t.lower_ in VERBS and t.tag_ == "VBG" and t.dep_ in ("xcomp", "advcl") for t in doc[last[0] + 1 : last[1]]):
        return True  # *did not allow X to pass causing Z*: the later participle may comment on the whole
    rest = doc[last[1] : min(last[1] + 16, sentence.end)]
    if any(t.tag_ == "TO" for t in doc[last[0] : last[1]]) or not len(rest) or rest[0].text != ",":
        return False
    tags = [t.tag_ for t in rest]
    return any(tags[i : i + 3] == [",", "TO", "VB"] for i in range(1, len(tags)))


def _has_relative(words: Iterable[Token]) -> bool:
    return any(t.tag_ in ("WDT", "WP", "WP$", "WRB") for t in words)


def _is_plain(candidate: Candidate, sentence: Span) -> bool:
    """The sentence says the relation and nothing else, of things that are or were so."""
    ranges = candidate.head, candidate.tail, candidate.cue
    left = [t for t in sentence if not any(a <= t.i < b for a, b in ranges)]
    return candidate.anchor.dep_ == "ROOT" and all(
        t.is_punct or t.is_space or t.dep_ in ("aux", "auxpass", "advmod", "neg", "mark", "det") or t.tag_ == "CC"
        for t in left
    )


__all__ = ["DOUBTED", "weighed"]
