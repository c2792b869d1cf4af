"""Effects named by a noun or a verb of harm: *headaches from stress*, *ten people died in the crash*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from extractors.english_candidates import Candidate, Site, modality_of, negated_before, polarity_of
from extractors.english_claims import is_somebody
from extractors.english_cues import CAUSAL, EFFECT_NOUNS
from extractors.english_events import is_event
from extractors.english_lexicon import TIME_NOUNS, word_set
from extractors.english_spans import clause, clause_end, is_finite_or_verb, noun_phrase, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token

HARM_VERBS: Final = (
    word_set("""
    killed kill kills died die dies injured injure injures wounded wound wounds hurt damaged damage damages destroyed
    destroy destroys displaced burned burnt crushed drowned perished dying suffocated
""")
    | (
        _WRECKING := word_set("""
    flood floods flooded ruin ruins ruined wreck wrecks wrecked erode erodes eroded corrode corrodes corroded clog
    clogs clogged rust rusts rusted shatter shatters shattered contaminate contaminates contaminated devastate
    devastates devastated paralyse paralyses paralysed paralyze paralyzes paralyzed
""")
    )
    | (
        _HINDERING := word_set("""
    block blocks blocked delay delays delayed disrupt disrupts disrupted halt halts halted cripple cripples crippled
    overwhelm overwhelms overwhelmed overload overloads overloaded stop stops stopped close closes closed strand
    strands stranded trap traps trapped weaken weakens weakened
""")
    )
)
"""What kills, wrecks or hinders; the last two kinds are also said of people's doings, and need a force as a cause."""
CHANGE_VERBS: Final = word_set("""
    boost boosts boosted hurt hurts lift lifts lifted push pushes pushed raise raises raised increase increases
    increased reduce reduces reduced lower lowers lowered cut cuts weaken weakens weakened slow slows slowed halt halts
    halted delay delays delayed disrupt disrupts disrupted block blocks blocked erode erodes eroded deplete depletes
    depleted strain strains strained cripple cripples crippled overload overloads overloaded overwhelm overwhelms
    overwhelmed stop stops stopped improve improves improved accelerate accelerates accelerated drive drives drove
    hold holds held double doubles doubled triple triples tripled depress depresses depressed dampen dampens dampened
""")
"""Verbs of change: with an event as their subject, what they say of their object is its effect."""

_DYING = frozenset({"die", "dies", "died", "dying", "perished", "suffocated"})
_SYMPTOMS = word_set("coughing sneezing choking screaming trembling shivering vomiting bleeding itching")
"""Effects whatever the parser takes their form for."""
_NO_CONDITIONS = frozenset({"business", "witness", "harness", "wilderness", "likeness"})
_MISHAPS = word_set("""
    accident accidents crash crashes explosion explosions blast blasts fire fires attack attacks earthquake quake flood
    floods storm storms shooting shootings shootout collision collisions raid raids ambush clash clashes avalanche
    landslide landslides bombing bombings strike strikes stampede derailment gunfight riot riots
    violence incident outbreak disaster crossfire gunfire firing shelling tornado hurricane cyclone tsunami wildfire
    wildfires heatwave famine war
""")
FORCES = _MISHAPS | word_set("""
    rain rains rainfall rainstorm downpour downpours drought droughts frost frosts snow snowfall snowstorm blizzard
    ice hail hailstorm wind winds gale gales lightning fog mist dust sand mud heat cold corrosion rust vibration
    friction wear leak leaks leakage spill spills outage outages blackout blackouts flooding floodwater floodwaters
    landslides mudslide mudslides avalanches subsidence erosion overload overheating misalignment cavitation
    contamination shortage shortages smoke infection infections virus viruses bacteria disease diseases tumour tumor
    smoking malware ransomware surge surges
""")
"""What acts by itself and does nobody's will."""
_FAULTY = word_set("""
    faulty defective broken damaged worn loose leaking leaky cracked corroded blocked clogged dirty burst misaligned
    overheated overloaded stuck jammed failed faulted frayed missing excessive insufficient inadequate
""")
"""With one of these before it a thing is a fault, which happens: *a loose clamp damages the hose*."""
_FROM, _AFTER, _MISHAP, _HARM = 0.6, 0.5, 0.55, 0.6
_WITH_A_PARTICLE = word_set("drive drives drove hold holds held")
_WAYS = word_set("up down back off")
_CHANGE = 0.45  # of an event: right as often as not by hand, but annotators rarely mark it; a force is surer


_TAKING = word_set("""
    learn learns learned learnt learning gather gathers gathered gathering scrape scrapes scraped scraping extract
    extracts extracted extracting collect collects collected collecting absorb absorbs absorbed absorbing remove removes
    removed removing catch catches caught catching protect protects protected protecting save saves saved saving
""")
"""What is taken from somewhere was not brought about there: *learn fear from others*."""
_OUTCOMES = word_set("""
    fire fires flood floods landslide landslides famine evacuation evacuations riot riots collapse explosion explosions
    outbreak outbreaks stampede unrest violence clashes protests outage outages blackout
""")
"""What follows a mishap because of it."""


def effect_noun(site: Site) -> Iterator[Candidate]:
    """*headaches from stress*, *grief after a loss*: the second noun is the cause, unless a person, place or time."""
    word, sentence = site.token, site.sentence
    if word.i <= sentence.start or (word.dep_ != "prep" and word.lower_ not in ("from", "following")):
        return
    noun = word.nbor(-1)
    if noun.lower_ in ("is", "was", "are", "were") and word.lower_ == "from":  # *the noise is from the pump*
        noun = subject_of(noun) or noun
    after = word.lower_ in ("after", "following")
    if not (_is_suffered(noun) or (after and noun.lower_ in _OUTCOMES)):
        return
    cause = next((c for c in word.rights if c.dep_ in ("pobj", "pcomp")), None)
    if cause is None or _is_a_place_or_time(cause):
        return
    verbal = is_finite_or_verb(cause)
    if (not verbal and is_somebody(cause)) or (verbal and cause.tag_ != "VBG"):
        return
    if word.lower_ == "from" and (_is_taken(noun) or any(t.lower_ in ("till", "until") for t in cause.rights)):
        return
    end = clause_end(cause) if verbal else noun_phrase(cause)[1]
    if after and (verbal or not (cause.lower_ in FORCES | EFFECT_NOUNS or is_event(word.doc, (word.i + 1, end)))):
        return
    start, stop = noun_phrase(noun, word.i)
    stop = min(stop, noun.head.i) if noun.dep_ == "nsubj" and noun.head.i == word.i - 1 else word.i
    yield Candidate(CAUSAL, "cause", (word.i + 1, end), (start, stop), (word.i, word.i + 1), _AFTER if after else _FROM,
                    f"effect-{word.lower_}", noun, negated_before(word), modality_of(noun))  # fmt: skip


def _is_taken(noun: Token) -> bool:
    verb = next((t for t in noun.ancestors if is_finite_or_verb(t)), None)
    return verb is not None and verb.i < noun.i and verb.lower_ in _TAKING and noun.head.lower_ != "from"


def _is_suffered(noun: Token) -> bool:
    """Whether the noun names what somebody feels or something suffers."""
    word = noun.lower_
    condition = word.endswith(("ness", "ache", "itis")) and word not in _NO_CONDITIONS
    return (noun.tag_ in ("NN", "NNS") and (word in EFFECT_NOUNS or condition)) or word in _SYMPTOMS


_FROM_WHEN = word_set("""
    others start beginning home abroad dawn dusk morning evening night noon spring summer autumn winter birth childhood
""")


def _is_a_place_or_time(noun: Token) -> bool:
    named = noun.tag_ in ("NNP", "NNPS") and not noun.text.islower()
    if named or noun.tag_ in ("CD", "PRP", "WDT", "WP") or noun.lower_ in TIME_NOUNS:
        return True
    words = {t.lower_ for t in noun.subtree if t.i <= noun.i}
    if any(w[0].isdigit() for w in words if not w.isalpha()) and noun.tag_ != "NNS":
        return True  # *from October 28th*
    return bool(words & {"other", "each"}) or noun.lower_ in _FROM_WHEN


def harmed(site: Site) -> Iterator[Candidate]:
    """*Ten people died in the crash*; *the blast killed two*: the mishap is the cause, the harm the effect."""
    verb = site.token
    subject = subject_of(verb)
    if not is_finite_or_verb(verb) or subject is None or subject.dep_ == "expl":
        return
    passive = any(c.dep_ == "auxpass" for c in verb.children)
    direct = next((c for c in verb.rights if c.dep_ == "dobj"), None)
    if verb.lower_ in _WRECKING | _HINDERING and passive:
        yield from _done_by_a_force(verb, subject)
        return
    if direct is not None and not passive:
        happens = subject.tag_ == "NN" and is_event(verb.doc, noun_phrase(subject, verb.i))
        if _is_force(subject) or (happens and verb.lower_ not in _HINDERING):
            joined = [c.left_edge.i for c in verb.rights if c.dep_ in ("cc", "conj")]
            cause, effect = noun_phrase(subject, verb.i), (verb.i, min([clause_end(verb), *joined]))
            yield Candidate(CAUSAL, "result", cause, effect, (verb.i, verb.i + 1), _HARM, "harm:active", verb,
                            polarity_of(verb), modality_of(verb))  # fmt: skip
        return
    if verb.lower_ in _WRECKING | _HINDERING:
        return
    mortal = verb.lower_ in _DYING
    words = ("in", "during", "from", "of") if mortal else ("in", "during")
    word = next((c for c in verb.rights if c.dep_ == "prep" and c.lower_ in words), None)
    named = next((c for c in word.rights if c.dep_ == "pobj"), None) if word is not None else None
    if word is None or named is None or subject.tag_ in ("WDT", "WP"):
        return
    deadly = named.tag_ in ("NN", "NNS") and not is_somebody(named) and named.lower_ not in TIME_NOUNS
    if named.lower_ not in _MISHAPS and not (word.lower_ in ("from", "of") and deadly):
        return
    yield Candidate(CAUSAL, "cause", noun_phrase(named), clause(verb, before=word.i), (word.i, word.i + 1), _MISHAP,
                    f"harm:{word.lower_}", verb, polarity_of(verb), modality_of(verb))  # fmt: skip


def _is_force(noun: Token) -> bool:
    """Whether the noun names what acts by itself: a mishap, weather, decay, or a thing at fault."""
    if not noun.tag_.startswith("NN"):
        return False
    return noun.lower_ in FORCES or any(c.dep_ == "amod" and c.lower_ in _FAULTY for c in noun.lefts)


def _done_by_a_force(verb: Token, subject: Token) -> Iterator[Candidate]:
    """*The road was blocked by a landslide*."""
    agent = next((c for c in verb.rights if c.dep_ == "agent" and c.lower_ == "by"), None)
    force = next((c for c in agent.rights if c.dep_ == "pobj"), None) if agent is not None else None
    if agent is None or force is None or subject.tag_ in ("WDT", "WP") or not _is_force(force):
        return
    yield Candidate(CAUSAL, "cause", noun_phrase(force), clause(verb, before=agent.i), (agent.i, agent.i + 1), _HARM,
                    "harm:by", verb, polarity_of(verb), modality_of(verb))  # fmt: skip


def changed(site: Site) -> Iterator[Candidate]:
    """*The drought cut yields*: an event that changes something is the cause of the change."""
    verb = site.token
    subject = subject_of(verb)
    direct = next((c for c in verb.rights if c.dep_ == "dobj" and c.tag_.startswith("NN")), None)
    if not is_finite_or_verb(verb) or verb.tag_ == "VBG" or subject is None or direct is None:
        return
    if any(c.dep_ == "auxpass" for c in verb.children) or subject.tag_ not in ("NN", "NNS") or is_somebody(subject):
        return
    cause = noun_phrase(subject, verb.i)
    if not (_is_force(subject) or is_event(verb.doc, cause)):
        return
    if verb.lower_ in _WITH_A_PARTICLE and not any(c.dep_ == "prt" and c.lower_ in _WAYS for c in verb.rights):
        return
    joined = [c.left_edge.i for c in verb.rights if c.dep_ in ("cc", "conj")]
    confidence = _HARM if _is_force(subject) else _CHANGE
    effect = verb.i, min([clause_end(verb), *joined])
    yield Candidate(CAUSAL, "result", cause, effect, (verb.i, verb.i + 1), confidence, "change", verb,
                    polarity_of(verb), modality_of(verb))  # fmt: skip


__all__ = ["CHANGE_VERBS", "FORCES", "HARM_VERBS", "changed", "effect_noun", "harmed"]
