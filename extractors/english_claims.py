"""Nominal causes and evidence: *the cause of Y was X*, *X shows that Y*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, polarity_of
from extractors.english_cues import CAUSAL, NOMINAL_CAUSES, SUPPORTING
from extractors.english_events import is_event
from extractors.english_lexicon import word_set
from extractors.english_spans import Range, clause_end, end_of, is_finite_or_verb, noun_phrase, subject_of
from storage.records import Polarity

if TYPE_CHECKING:
    from spacy.tokens import Token

_BE = word_set("""
    is was are were be been being 's remains remained became becomes
""")
_OPEN_MATTERS = word_set("""
    subject matter topic question mystery issue debate unknown unclear many several clear simple
""")
_PERSONS = word_set("""
    who officials police team experts people doctors president minister spokesman spokeswoman witnesses someone
    everyone government customers users staff man woman company
""")
_PERSON_ENDINGS = ("er", "or", "ist", "ian", "ers", "ors", "ists", "ians", "man", "woman")
_THINGS_LIKE_PERSONS = word_set("""
    paper papers number numbers error errors letter letters monitor monitors factor factors indicator indicators
    order orders behavior behaviour counter counters fever fevers water waters power powers weather cancer cancers
    disaster disasters server servers computer computers container containers cluster clusters router routers sensor
    sensors tower towers winter summer motor motors reactor reactors tumor tumors tumour terror horror odor odors vapor
    vapors labor labour fiber fibers filter filters driver drivers hunger anger danger thunder layer layers river rivers
    matter powder disorder disorders finger corridor vector vectors processor processors controller controllers
    scheduler schedulers timer timers buffer buffers parameter parameters trigger triggers laser lasers wafer detector
    transformer transformers generator generators elevator mirror crater shower showers compressor compressors breaker
    breakers boiler boilers heater heaters cooler coolers alternator alternators radiator radiators conveyor conveyors
    impeller impellers inverter inverters rotor rotors stator capacitor capacitors resistor resistors transistor
    connector connectors regulator regulators actuator actuators accumulator contactor contactors damper dampers washer
    washers fastener fasteners charger chargers adapter adapters pointer pointers header headers balancer balancers
    inhibitor inhibitors receptor receptors
""")
MEANING_VERBS = word_set("mean means meant")
_SIGNS = word_set("""
    word words term terms name names phrase phrases sign signs symbol symbols sentence statement expression notation
    icon acronym abbreviation title message silence answer
""")


def _climbed(noun: Token) -> Token:
    """*one of the causes*: the word that stands for the whole phrase."""
    while noun.dep_ == "pobj" and noun.head.lower_ == "of" and noun.head.head.tag_ in ("CD", "DT", "JJ", "NN", "NNS"):
        noun = noun.head.head
    return noun


def _other_side(be: Token) -> Range | None:
    """What *be* equates its subject with: a noun phrase or a clause after *that*."""
    for child in be.rights:
        if child.dep_ in ("attr", "pobj") or (child.dep_ == "acomp" and child.tag_.startswith("NN")):
            return noun_phrase(child)
        if child.dep_ in ("ccomp", "advcl", "xcomp"):
            first = child.left_edge
            start = first.i + 1 if first.lower_ in ("that", "because") else first.i
            if child.tag_ in ("VB",) or first.tag_ in ("WP", "WRB", "WDT"):
                return None
            return start, clause_end(child)
    return None


def nominal_cause(site: Site) -> Iterator[Candidate]:
    """*The (root) cause of Y was X*, *X was the cause of Y*; *result of* the other way round."""
    token, sentence, previous = site.token, site.sentence, site.previous
    if not token.tag_.startswith("NN"):
        return
    words = ("of", "for", "behind") if token.lower_ in NOMINAL_CAUSES else ("of",)
    link = next((c for c in token.rights if c.dep_ == "prep" and c.lower_ in words), None)
    named: Range | None = None
    if link is not None:
        target = next((c for c in link.rights if c.dep_ in ("pobj", "pcomp")), None)
        if target is not None:
            named = link.i + 1, end_of(target)
    elif token.lower_ in ("reason", "reasons"):
        why = next((c for c in token.rights if c.dep_ in ("relcl", "acl") and c.i > token.i), None)
        if why is not None and subject_of(why) is not None and why.left_edge.lower_ in ("why", "that"):
            link, named = why.left_edge, (why.left_edge.i + 1, why.right_edge.i + 1)
    if link is None or named is None:
        return
    noun = _climbed(token)
    if noun.dep_ == "appos" and noun.doc[noun.left_edge.i - 1].text == "," and token.lower_ in NOMINAL_CAUSES:
        beside = noun.head  # *poverty, a major cause of violence, …*
        if beside.tag_.startswith("NN") and beside.i < noun.left_edge.i == beside.i + 2:
            yield Candidate(CAUSAL, "cause", noun_phrase(beside, beside.i + 1), named, (token.i, link.i + 1), 0.8,
                            f"nominal:{token.lower_}", noun, polarity_of(noun), modality_of(noun))  # fmt: skip
        return
    be = noun.head
    among = noun.dep_ == "pobj" and be.lower_ in ("among", "amongst")
    be = be.head if among else be
    if be.lower_ not in _BE:
        return
    if noun.dep_ in ("nsubj", "nsubjpass") and noun.i < be.i:
        named = named[0], min(named[1], be.i)
        other = _other_side(be)
    elif (noun.dep_ == "attr" or among) and noun.i > be.i:
        subject = subject_of(be)
        if subject is None or subject.dep_ == "expl":
            return
        if subject.tag_ == "DT" and subject.lower_ in ("this", "that"):
            other = previous if subject.i <= sentence.start + 1 else None
        else:
            other = None if subject.tag_ in ("PRP", "DT", "WP", "WDT") else noun_phrase(subject, be.i)
    else:
        return
    if other is None or sentence.doc[other[0] : other[1]].root.lower_ in _OPEN_MATTERS:
        return
    if sentence.doc[other[0] : other[0] + 2].text.lower() == "as follows":
        return  # a list of them: document_reasons
    causes = token.lower_ in NOMINAL_CAUSES
    head, tail = (other, named) if causes else (named, other)
    no = any(c.dep_ == "det" and c.lower_ == "no" for c in token.children)
    polarity = Polarity.NEGATED if no else polarity_of(be)
    yield Candidate(CAUSAL, "cause" if causes else "result", head, tail, (token.i, link.i + 1), 0.85 if causes else 0.8,
                    f"nominal:{token.lower_}", be, polarity, modality_of(be))  # fmt: skip


def shows_that(site: Site) -> Iterator[Candidate]:
    """*X shows that Y*: X is evidence for Y, unless X is somebody who only says so."""
    token, sentence, previous = site.token, site.sentence, site.previous
    if not is_finite_or_verb(token):
        return
    claim = next((c for c in token.rights if c.dep_ == "ccomp"), None)
    subject = subject_of(token)
    if claim is None or subject is None or subject_of(claim) is None or subject.dep_ not in ("nsubj",):
        return
    that = next((c for c in claim.lefts if c.dep_ == "mark" and c.lower_ == "that"), None)
    if that is None:
        return
    if subject.tag_ == "DT" and subject.lower_ in ("this", "that") and subject.i <= sentence.start + 1:
        evidence = previous
    else:
        evidence = None if is_somebody(subject) else noun_phrase(subject, token.i)
    if evidence is None:
        return
    yield Candidate(SUPPORTING, "shows", evidence, (that.i + 1, clause_end(claim)), (token.i, that.i + 1), 0.7,
                    "shows-that", token, polarity_of(token), modality_of(token))  # fmt: skip


def means(site: Site) -> Iterator[Candidate]:
    """*The leak meant that the tank ran dry*: of something that happens and is no word, a meaning is a result."""
    verb = site.token
    subject = subject_of(verb)
    if not is_finite_or_verb(verb) or verb.tag_ == "VBG" or subject is None or subject.dep_ not in ("nsubj", "csubj"):
        return
    if subject.tag_ not in ("NN", "NNS") or subject.lower_ in _SIGNS or not _happens(subject, verb.i):
        return
    claim = next((c for c in verb.rights if c.dep_ == "ccomp"), None)
    if claim is not None:
        named = subject_of(claim)
        that = verb.i + 1 < site.sentence.end and verb.nbor().lower_ == "that"
        first = verb.i + 2 if that else verb.i + 1
        if named is None or named.left_edge.i != first:
            return
        result = first, clause_end(claim)
    else:
        named = next((c for c in verb.rights if c.dep_ == "dobj"), None)
        if named is None or named.left_edge.i != verb.i + 1 or not _happens(named):
            return
        first, result = verb.i + 1, noun_phrase(named)
    yield Candidate(CAUSAL, "result", noun_phrase(subject, verb.i), result, (verb.i, first), 0.6, "means", verb,
                    polarity_of(verb), modality_of(verb))  # fmt: skip


def _happens(noun: Token, before: int | None = None) -> bool:
    """Whether the noun names an event or, with a comparative before it, a change: *higher wages*."""
    if is_somebody(noun):
        return False
    return any(c.tag_ == "JJR" for c in noun.lefts) or is_event(noun.doc, noun_phrase(noun, before))


def is_somebody(noun: Token) -> bool:
    """Whether the noun may name a person or a body of persons."""
    word = noun.lower_
    if noun.tag_ in ("PRP", "NNP", "NNPS", "WP", "WDT", "DT", "CD", "EX"):
        return True
    if any(c.isupper() for c in noun.text[1:]):
        return True  # a name, whatever the tagger says
    return word in _PERSONS or (word.endswith(_PERSON_ENDINGS) and word not in _THINGS_LIKE_PERSONS)


__all__ = ["MEANING_VERBS", "is_somebody", "means", "nominal_cause", "shows_that"]
