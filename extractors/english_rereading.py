"""Parses of the small English model put right where no sentence can be what it read.

It takes many present-tense verbs for plural nouns (*a compressor seizes*, *a loose clamp damages the hose*), and past
forms that it has rarely met for adjectives (*margins shrank*). The words around them leave no doubt: a noun governs no
clause of its own, and none stands right before *the* without a comma.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import simplemma

from extractors.english_lexicon import word_set

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_CLAUSE_OPENERS = word_set("""
    because since if when whenever as unless once while until after before although though so
""")
_CONJUNCTIONS = word_set("""
    because if unless although though while since
""")
"""What opens a clause and never a mere noun phrase, unlike *after* and *before*."""
_PHRASE_OPENERS = word_set("""
    due owing
""")
_OF_A_NOUN = frozenset({"det", "amod", "compound", "nummod", "poss", "nmod", "quantmod"})
_OBJECT_OPENERS = frozenset({"DT", "PRP$"})
_SINGULAR = frozenset({"NN", "JJ", "VBG"})


def reread(sentence: Span) -> None:
    """Put the parse of a sentence right in place where its verb was taken for another word."""
    for word in sentence:
        if word.dep_ == "mark" and word.lower_ in _CONJUNCTIONS and word.head.tag_.startswith("NN"):
            _reread_clause(word, sentence)
    root = sentence.root
    if root.tag_ == "JJ" and any(c.dep_ == "nsubj" for c in root.lefts):
        if simplemma.lemmatize(root.lower_, "en") != root.lower_:
            root.tag_ = "VBD"
        return
    verb = _before_its_object(root, sentence) or root
    if verb.tag_ != "NNS" or not verb.lower_.endswith("s") or not _is_verb(verb, sentence):
        return
    if any(c.dep_ == "nsubj" for c in verb.lefts):
        verb.tag_ = "VBZ"
        return
    subject = _subject(verb, sentence)
    if subject is None:
        return
    if verb is not root:
        verb.head, root.head = verb, verb
        verb.dep_, root.dep_ = "ROOT", "dobj"
        for child in [c for c in root.children if c.i < verb.i or c.dep_ in ("advcl", "punct") or _is_adverbial(c)]:
            child.head = verb
    verb.tag_ = "VBZ"
    subject.tag_, subject.dep_ = "NN", "nsubj"
    for child in [c for c in verb.lefts if c.dep_ in _OF_A_NOUN and c.i < subject.i]:
        child.head = subject
    for child in verb.rights:
        if child.dep_ == "appos" and child.left_edge.i == verb.i + 1:
            child.dep_ = "dobj"


def _reread_clause(mark: Token, sentence: Span) -> None:
    """*because | fear bypasses logic*: three nouns in a row behind a conjunction are a clause."""
    last = mark.head
    words = sentence.doc[mark.i + 1 : last.i + 1]
    if last.dep_ != "advcl" or any(t.tag_.startswith("VB") or t.tag_ == "MD" for t in words):
        return
    objects = any(c.dep_ == "dobj" for c in last.rights)
    verb = last if objects else next((t for t in words if t.i < last.i and t.head == last and t.tag_ == "NNS"), None)
    if verb is None or verb.tag_ != "NNS" or verb.i < mark.i + 2 or verb.dep_ not in ("advcl", "nsubj", "compound"):
        return
    subject = verb.nbor(-1)
    if subject.head not in (verb, last) or subject.dep_ not in ("compound", "amod", "nmod"):
        return
    if verb is not last:
        above = last.head
        verb.dep_, last.dep_ = "advcl", "dobj"
        verb.head, last.head, mark.head = above, verb, verb
    verb.tag_, subject.tag_, subject.dep_ = "VBZ", "NN", "nsubj"
    subject.head = verb
    for child in [c for c in (*verb.lefts, *last.lefts) if c.dep_ in _OF_A_NOUN and c.i < subject.i]:
        child.head = subject


def _is_verb(verb: Token, sentence: Span) -> bool:
    """Whether only a verb can stand here: before a clause that hangs on it, or right before its object."""
    following = sentence.doc[verb.i + 1] if verb.i + 1 < sentence.end else None
    if following is None:
        return False
    if any(c.dep_ == "advcl" and c.tag_.startswith("VB") and _opens(c, sentence) for c in verb.lefts):
        return True  # *if the pump fails, the alarm rings*
    if following.tag_ in _OBJECT_OPENERS and following.lower_ not in ("all", "both", "each"):
        return True
    return any(
        c.dep_ == "advcl" and c.i > verb.i and sentence.doc[c.left_edge.i].lower_ in _CLAUSE_OPENERS
        for c in verb.rights
    ) or (following.lower_ in _PHRASE_OPENERS)


def _opens(clause_verb: Token, sentence: Span) -> bool:
    """Whether the clause stands at the front of the sentence, behind a conjunction."""
    first = clause_verb.left_edge
    return first.i <= sentence.start + 1 and first.lower_ in _CLAUSE_OPENERS and first.dep_ in ("mark", "advmod")


def _before_its_object(root: Token, sentence: Span) -> Token | None:
    """*damages* of *Smoking damages the lungs*, where *lungs* was read as what the sentence is about."""
    if not root.tag_.startswith("NN"):
        return None
    for child in root.lefts:
        after = sentence.doc[child.i + 1]
        if child.tag_ == "NNS" and after.tag_ in _OBJECT_OPENERS and after.head == root and child.i > sentence.start:
            return child
    return None


def _is_adverbial(token: Token) -> bool:
    return token.dep_ == "advmod" and token.tag_ == "RB"


def _subject(verb: Token, sentence: Span) -> Token | None:
    """The singular noun right before the verb, which the parse made a part of a compound with it."""
    before = verb.i - 1
    while before > sentence.start and sentence.doc[before].tag_ == "RB" and sentence.doc[before].head == verb:
        before -= 1
    if before < sentence.start:
        return None
    noun = sentence.doc[before]
    named = noun.head == verb and noun.dep_ in ("compound", "amod", "nmod") and noun.tag_ in _SINGULAR
    return noun if named else None


__all__ = ["reread"]
