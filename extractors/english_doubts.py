"""Second looks at a find: ends that the parse cropped are completed, and what it may have misread is not asserted.

A doubted find keeps its place as a possibility: its confidence falls below .5. Each doubt names a kind of sentence in
which a reader who judged finds one by one met more wrong ends than right ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate
from extractors.english_connectives import TIME_NOUNS
from extractors.english_cues import VERBS
from extractors.english_lexicon import word_set
from extractors.english_spans import Range, is_finite_or_verb, subject_of
from extractors.english_subjects import FINDING_VERBS
from storage.records import RelationType

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

DOUBTED = 0.45
"""What a doubted find is believed at most: a possibility."""

_NEED_A_PLAIN_SENTENCE = ("verb:allow", "verb:enable", "verb:create", "verb:produce", "verb:generate", "verb:drive",
                          "before", "once")  # fmt: skip
_TAKE_REASONS = ("because", "since", "phrase:", "so", "adverb:", "link:", "result-phrase")
_HANG_BEHIND = ("because", "since", "phrase:", "after", "before", "once")
_GENERIC = word_set("""
    issue issues problem problems situation situations context contexts
    case cases scenario scenarios matter matters point points step steps action actions approach behavior behaviour
    process state event events fact facts circumstances area areas item items
""")
_POINTERS = word_set("""
    this that these those it they such same
""")
_UNNAMED = word_set("""
    factors issues problems reasons events things circumstances conditions causes changes errors
""")
_COUNTED = word_set("""
    key main major several multiple various different contributing other further additional many important
""")
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
_ASIDE_STARTS = word_set("""
    when if while unless without until and or along together with as especially including like such
""")
_FRAGMENT_TAGS = ("NN", "NNS", "NNP", "NNPS", "JJ", "VB", "VBP", "DT", "CD")

_NOUN_PHRASE_TAGS = frozenset(
    {"DT", "JJ", "JJR", "NN", "NNS", "NNP", "NNPS", "VBN", "VBG", "CD", "HYPH", "PRP$", "POS"}
)


def completed(candidate: Candidate, sentence: Span) -> Candidate:
    """The candidate with the words back that belong to its ends although the parse hung them elsewhere."""
    head, tail = (_whole_compound(sentence, end) for end in (candidate.head, candidate.tail))
    candidate = replace(candidate, head=head, tail=tail)
    if candidate.rule.startswith("verb:") and not candidate.rule.endswith(":passive"):
        subject, other = ("head", candidate.head) if candidate.head[0] < candidate.cue[0] else ("tail", candidate.tail)
        if sentence.start <= other[0] < other[1] <= candidate.anchor.i and _goes_on(sentence.doc, other, candidate):
            end = _gap_end(candidate.anchor)
            longer = other[0], max(other[1], end)
            candidate = replace(candidate, head=longer) if subject == "head" else replace(candidate, tail=longer)
    return candidate


def _whole_compound(sentence: Span, end: Range) -> Range:
    """A first word of the sentence that is split off its noun or verb: *Root cause | analysis*, *Pump | re-started*."""
    start, last = end
    doc = sentence.doc
    if start >= sentence.start and last - start > 2 and doc[start].lower_ in ("where", "when"):
        return start + 1, last
    while start - 2 > sentence.start and doc[start - 1].text == "-" and not doc[start - 1].whitespace_:
        start -= 2
    before = doc[sentence.start : start] if sentence.start < start <= sentence.end else None
    if before is None or len(before) > 3 or doc[start].tag_ in ("DT", "PRP", "PRP$", "EX", "IN", "TO", "WRB", "WDT"):
        return end
    if any(t.tag_ not in _FRAGMENT_TAGS or t.lower_ in TIME_NOUNS | FINDING_VERBS for t in before):
        return end
    return sentence.start, last


def _gap_end(verb: Token) -> int:
    """Where the subject's side of the verb ends: before its auxiliaries and adverbs."""
    own = [c.i for c in verb.lefts if c.dep_ in ("aux", "auxpass", "neg") or (c.dep_ == "advmod" and c.tag_ == "RB")]
    start = verb.i
    while start - 1 in own:
        start -= 1
    return start


def _gap(doc: Doc, end: Range, verb: Token) -> list[Token]:
    return [t for t in doc[end[1] : _gap_end(verb)] if not t.is_space]


def _goes_on(doc: Doc, end: Range, candidate: Candidate) -> bool:
    """Whether what stands between a subject and its verb is more of the subject: a conjunct, or *, when not …,*."""
    gap = _gap(doc, end, candidate.anchor)
    words = [t for t in gap if not t.is_punct]
    if not words or subject_of(candidate.anchor) is None or candidate.anchor.dep_ == "relcl":
        return False
    if words[0].tag_ == "CC":
        return all(not is_finite_or_verb(t) or t.tag_ in ("VBG", "VBN") for t in words)
    return gap[0].text == "," and gap[-1].text == "," and words[0].lower_ in _ASIDE_STARTS


def weighed(candidate: Candidate, sentence: Span) -> Candidate:
    """The candidate, no longer asserted where one of the doubts holds."""
    if candidate.confidence <= DOUBTED or not _is_doubtful(candidate, sentence):
        return candidate
    return replace(candidate, confidence=DOUBTED)


def _is_doubtful(candidate: Candidate, sentence: Span) -> bool:
    doc = sentence.doc
    spans = [doc[end[0] : end[1]] for end in (candidate.head, candidate.tail)]
    return (
        any(_is_open(span) or _is_vague(span) for span in spans)
        or (candidate.rule != "not-only" and any(_has_no_subject(span) for span in spans))
        or any(_is_cut(span, sentence, candidate) or _starts_late(span) for span in spans)
        or _is_advice(candidate, sentence)
        or _is_comment(candidate, sentence)
        or _comes_after_more(candidate, sentence)
        or _is_unreal(candidate.anchor)
        or _hangs_loosely(candidate, sentence)
        or _leaves_words(candidate, sentence)
        or (candidate.rule == "since" and candidate.cue[0] > candidate.tail[0])
        or (candidate.rule.startswith(_NEED_A_PLAIN_SENTENCE) and not _is_plain(candidate, sentence))
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
    misread = after.tag_ == "VBZ" and after.lower_ not in ("is", "has", "does", "'s")
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
    first = i
    while i < sentence.end and doc[i].tag_ in _NOUN_PHRASE_TAGS:
        i += 1
    while i > first and not doc[i - 1].tag_.startswith("NN"):
        i -= 1
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
        return True
    if _is_bare(root, span, pointed=True) or (len(span) <= 4 and any(_points(t) for t in span)):
        return True
    if not is_finite_or_verb(root):
        return False
    return any(
        span.start <= c.i < span.end
        and (
            (c.dep_ in ("nsubj", "nsubjpass") and (_points(c) or _is_bare(c, span)))
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
    """Whether the noun says too little without a modifier; with ``pointed``, any noun after *this* or *these*."""
    rest = [t for t in noun.subtree if t.i != noun.i and span.start <= t.i < span.end and not t.is_punct]
    by_pointer = pointed and any(t.lower_ in _POINTERS for t in rest)
    if not noun.tag_.startswith("NN") or (noun.lower_ not in _GENERIC and not by_pointer):
        return False
    return all(t.tag_ in ("DT", "PRP$", "PDT") or t.lower_ in _POINTERS for t in rest)


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
    if not candidate.rule.startswith(_TAKE_REASONS) or candidate.type is RelationType.SUPPORTING:
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
        gap = _gap(doc, first, verb)
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


__all__ = ["DOUBTED", "completed", "weighed"]
