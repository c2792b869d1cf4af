"""Which English nouns name something that happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractors.english_lexicon import word_set
from extractors.english_spans import Range

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_EVENT_ENDINGS = ("tion", "sion", "ment", "ance", "ence", "ure", "age", "ing", "al", "sis", "th", "ity", "ness", "ism")
_EVENT_NOUNS = word_set("""
    change rise fall increase decrease decline drop surge loss delay crash spike growth demand shortage problem
    issue error bug fault leak incident attack strike war drought flood storm cost price rate load traffic need fear
    concern anger lack upgrade deploy update release restart collapse crisis conflict stress damage impact pressure
    unrest violence protest debt inflation unemployment poverty interest earthquake tsunami tornado hurricane fire
    explosion blast accident debate riot famine epidemic outbreak success progress march rally clash
""")


_SORTS = word_set("""
    type types kind kinds sort sorts form forms series wave waves spate string number series case cases round bout
    combination flood
""")


def core_noun(noun: Token) -> Token:
    """What a noun of kind or number counts: *earthquake* of *an unusual type of earthquake*."""
    link = next((c for c in noun.rights if c.lower_ == "of" and c.dep_ == "prep"), None)
    named = next((c for c in link.rights if c.dep_ == "pobj"), None) if link is not None else None
    return named if named is not None and noun.lower_ in _SORTS else noun


def is_event(doc: Doc, end: Range) -> bool:
    """Whether the range names something that happens rather than a thing or a person."""
    words = doc[end[0] : end[1]]
    root = words.root
    if root.tag_.startswith("VB"):
        return True
    word = root.lower_
    singular = word[:-1] if root.tag_ == "NNS" and word.endswith("s") else word
    return root.tag_ in ("NN", "NNS") and (
        singular in _EVENT_NOUNS
        or singular.removesuffix("e") in _EVENT_NOUNS  # *crashes*
        or (len(singular) > 5 and singular.endswith(_EVENT_ENDINGS))
    )


__all__ = ["core_noun", "is_event"]
