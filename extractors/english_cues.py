"""The cue words of English relations, as data: what each says, and how far it is to be believed.

A confidence is the share of a cue's hits that lay in text marked causal by human annotators, averaged over public
corpora and rounded to .05; cues that no corpus covers take the figure of the closest construction. Below .5 a relation
is a possibility, not an assertion.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from extractors.english_lexicon import word_set
from storage.records import RelationType

CAUSAL, SEQUENTIAL = RelationType.CAUSAL, RelationType.SEQUENTIAL
SUPPORTING, PROGRESSIVE = RelationType.SUPPORTING, RelationType.PROGRESSIVE

Frame = Literal["object", "to", "in", "into", "from", "about", "rise to", "infinitive", "prevent", "event object",
                "event from", "off", "make", "so", "to act"]  # fmt: skip


@dataclass(frozen=True)
class VerbCue:
    """A verb that says a causal link: ``frame`` tells where its other end stands.

    ``backward`` verbs name the effect as their subject (*result from*). ``passive`` is the confidence of *be V-ed by*;
    None where the passive says something else.
    """

    lemma: str
    frame: Frame
    confidence: float
    subtype: str = "cause"
    backward: bool = False
    passive: float | None = None


_VERBS: Final = (
    VerbCue("cause", "object", 0.85, passive=0.95),
    VerbCue("trigger", "object", 0.8, passive=0.95),
    VerbCue("spark", "object", 0.85, passive=0.9),
    VerbCue("provoke", "object", 0.85, passive=0.9),
    VerbCue("induce", "object", 0.8, passive=0.85),
    VerbCue("instigate", "object", 0.75, passive=0.8),
    VerbCue("engender", "object", 0.8, passive=0.85),
    VerbCue("exacerbate", "object", 0.75, "worsen", passive=0.8),
    VerbCue("worsen", "event object", 0.65, "worsen", passive=0.75),
    VerbCue("precipitate", "object", 0.75, passive=0.8),
    VerbCue("lead", "to", 0.8),
    VerbCue("result", "in", 0.8),
    VerbCue("culminate", "in", 0.65),
    VerbCue("contribute", "to", 0.65, "contribute"),
    VerbCue("bring", "about", 0.8),
    VerbCue("translate", "into", 0.6),
    VerbCue("give", "rise to", 0.8),
    VerbCue("result", "from", 0.85, backward=True),
    VerbCue("stem", "from", 0.85, backward=True),
    VerbCue("arise", "from", 0.8, backward=True),
    VerbCue("originate", "event from", 0.6, backward=True),
    VerbCue("derive", "event from", 0.55, backward=True),
    VerbCue("emanate", "event from", 0.6, backward=True),
    VerbCue("ensue", "from", 0.75, backward=True),
    VerbCue("inflict", "object", 0.7, passive=0.8),
    VerbCue("elicit", "object", 0.75, passive=0.8),
    VerbCue("unleash", "event object", 0.65, passive=0.7),
    VerbCue("fuel", "event object", 0.65, passive=0.7),
    VerbCue("spur", "event object", 0.7, passive=0.75),
    VerbCue("hasten", "event object", 0.65, passive=0.7),
    VerbCue("force", "infinitive", 0.85, "force", passive=0.8),
    VerbCue("prompt", "infinitive", 0.85, "force", passive=0.85),
    VerbCue("compel", "infinitive", 0.85, "force", passive=0.8),
    VerbCue("lead", "to act", 0.75, "force"),
    VerbCue("allow", "infinitive", 0.6, "enable"),
    VerbCue("enable", "infinitive", 0.6, "enable"),
    VerbCue("prevent", "prevent", 0.65, "prevent", passive=0.65),
    VerbCue("drive", "event object", 0.6, passive=0.6),
    VerbCue("produce", "event object", 0.55, passive=0.6),
    VerbCue("generate", "event object", 0.55, passive=0.6),
    VerbCue("create", "event object", 0.55, passive=0.55),
)

_LOOSE_VERBS: Final = (
    VerbCue("come", "event from", 0.55, backward=True),
    VerbCue("radiate", "event from", 0.55, backward=True),
    VerbCue("start", "event from", 0.5, backward=True),
    VerbCue("set", "off", 0.75, passive=0.8),
    VerbCue("touch", "off", 0.75, passive=0.8),
    VerbCue("make", "make", 0.45),
    VerbCue("leave", "so", 0.65),
    VerbCue("help", "infinitive", 0.4, "enable"),
    VerbCue("ensure", "object", 0.4, "enable"),
    VerbCue("encourage", "infinitive", 0.4, "enable"),
    VerbCue("persuade", "infinitive", 0.45, "force"),
    VerbCue("convince", "infinitive", 0.45, "force"),
    VerbCue("facilitate", "object", 0.4, "enable"),
)
"""Verbs that are causal in one of their constructions only; elsewhere nothing may be concluded from their presence."""

_IRREGULAR_FORMS: Final = {
    "come": ("come", "comes", "came", "coming"),
    "set": ("set", "sets", "setting"),
    "touch": ("touch", "touches", "touched", "touching"),
    "make": ("make", "makes", "made", "making"),
    "leave": ("leave", "leaves", "left"),
    "spur": ("spur", "spurs", "spurred", "spurring"),
    "unleash": ("unleash", "unleashes", "unleashed", "unleashing"),
    "fuel": ("fuel", "fuels", "fuelled", "fueled", "fuelling", "fueling"),
    "lead": ("lead", "leads", "led", "leading"),
    "bring": ("bring", "brings", "brought", "bringing"),
    "give": ("give", "gives", "gave", "given", "giving"),
    "arise": ("arise", "arises", "arose", "arisen", "arising"),
    "drive": ("drive", "drives", "drove", "driven", "driving"),
    "stem": ("stem", "stems", "stemmed", "stemming"),
    "compel": ("compel", "compels", "compelled", "compelling"),
}


def _forms(lemma: str) -> tuple[str, ...]:
    if lemma in _IRREGULAR_FORMS:
        return _IRREGULAR_FORMS[lemma]
    stem = lemma.removesuffix("e")
    return lemma, f"{lemma}s", f"{stem}ed", f"{stem}ing"


VERBS: Final = MappingProxyType({form: tuple(v for v in _VERBS if v.lemma == lemma)
                                 for lemma in sorted({v.lemma for v in _VERBS}) for form in _forms(lemma)})  # fmt: skip
"""Each form of a causal verb to what it may say."""

LOOSE_VERBS: Final = MappingProxyType({form: v for v in _LOOSE_VERBS for form in _forms(v.lemma)})
"""Each form of a verb that is causal in one construction only."""

RESULT_PARTICIPLES: Final = MappingProxyType({
    "leaving": 0.75, "killing": 0.8, "injuring": 0.8, "wounding": 0.8, "rendering": 0.7, "disrupting": 0.65,
    "making": 0.65, "damaging": 0.75, "destroying": 0.75, "breaking": 0.6, "blocking": 0.6, "delaying": 0.65,
    "crippling": 0.7, "overloading": 0.65, "overwhelming": 0.65, "exhausting": 0.65, "bringing": 0.55, "sending": 0.5,
    "thereby": 0.75,
})  # fmt: skip
"""Verbs whose *-ing* form after a comma says what the clause before it led to; the verb is part of the effect."""


@dataclass(frozen=True)
class PhraseCue:
    """A fixed phrase before a noun phrase or gerund, which is the head of the relation: *due to X*.

    ``named`` is how many of its last words belong to the head: what crops fail for is a *lack of rain*, not rain.
    """

    words: tuple[str, ...]
    type: RelationType
    subtype: str
    confidence: float
    named: int = 0


PHRASES: Final = (
    PhraseCue(("because", "of"), CAUSAL, "cause", 0.8),
    PhraseCue(("due", "to"), CAUSAL, "cause", 0.75),
    PhraseCue(("owing", "to"), CAUSAL, "cause", 0.75),
    PhraseCue(("thanks", "to"), CAUSAL, "cause", 0.7),
    PhraseCue(("on", "account", "of"), CAUSAL, "cause", 0.7),
    PhraseCue(("as", "a", "result", "of"), CAUSAL, "cause", 0.8),
    PhraseCue(("as", "a", "consequence", "of"), CAUSAL, "cause", 0.8),
    PhraseCue(("in", "consequence", "of"), CAUSAL, "cause", 0.7),
    PhraseCue(("given",), CAUSAL, "reason", 0.65),
    PhraseCue(("according", "to"), SUPPORTING, "source", 0.65),
    PhraseCue(("as", "shown", "by"), SUPPORTING, "evidence", 0.75),
    PhraseCue(("as", "shown", "in"), SUPPORTING, "evidence", 0.7),
    PhraseCue(("as", "evidenced", "by"), SUPPORTING, "evidence", 0.8),
    PhraseCue(("as", "indicated", "by"), SUPPORTING, "evidence", 0.7),
    PhraseCue(("as", "demonstrated", "by"), SUPPORTING, "evidence", 0.75),
    PhraseCue(("as", "confirmed", "by"), SUPPORTING, "evidence", 0.7),
    PhraseCue(("as", "illustrated", "by"), SUPPORTING, "evidence", 0.7),
    PhraseCue(("as", "seen", "in"), SUPPORTING, "evidence", 0.65),
    PhraseCue(("as", "reported", "by"), SUPPORTING, "source", 0.65),
    PhraseCue(("judging", "by"), SUPPORTING, "evidence", 0.7),
    PhraseCue(("judging", "from"), SUPPORTING, "evidence", 0.7),
    PhraseCue(("on", "the", "evidence", "of"), SUPPORTING, "evidence", 0.7),
    PhraseCue(("in", "response", "to"), CAUSAL, "reason", 0.65),
    PhraseCue(("in", "reaction", "to"), CAUSAL, "reason", 0.65),
    PhraseCue(("in", "retaliation", "for"), CAUSAL, "reason", 0.7),
    PhraseCue(("in", "protest", "against"), CAUSAL, "reason", 0.6),
    PhraseCue(("in", "protest", "at"), CAUSAL, "reason", 0.6),
    PhraseCue(("by", "virtue", "of"), CAUSAL, "cause", 0.65),
    PhraseCue(("by", "reason", "of"), CAUSAL, "cause", 0.65),
    PhraseCue(("for", "lack", "of"), CAUSAL, "cause", 0.65, named=2),
    PhraseCue(("for", "want", "of"), CAUSAL, "cause", 0.65, named=2),
    PhraseCue(("for", "fear", "of"), CAUSAL, "reason", 0.65, named=2),
    PhraseCue(("in", "view", "of"), CAUSAL, "reason", 0.6),
    PhraseCue(("in", "light", "of"), CAUSAL, "reason", 0.6),
    PhraseCue(("on", "the", "grounds", "of"), CAUSAL, "reason", 0.55),
    PhraseCue(("on", "the", "ground", "of"), CAUSAL, "reason", 0.55),
    PhraseCue(("on", "grounds", "of"), CAUSAL, "reason", 0.55),
    PhraseCue(("in", "the", "wake", "of"), CAUSAL, "cause", 0.55),
    PhraseCue(("in", "the", "aftermath", "of"), CAUSAL, "temporal-causal", 0.4),
    PhraseCue(("in", "the", "face", "of"), CAUSAL, "temporal-causal", 0.35),
    PhraseCue(("on", "charges", "of"), CAUSAL, "reason", 0.35),
    PhraseCue(("on", "suspicion", "of"), CAUSAL, "reason", 0.35),
    PhraseCue(("for", "the", "purpose", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("for", "the", "sake", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("with", "the", "aim", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("with", "the", "goal", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("with", "the", "objective", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("with", "the", "intention", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("in", "the", "hope", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("in", "the", "hopes", "of"), CAUSAL, "purpose", 0.4),
    PhraseCue(("with", "a", "view", "to"), CAUSAL, "purpose", 0.4),
    PhraseCue(("in", "addition", "to"), PROGRESSIVE, "addition", 0.55),
)

PHRASE_STARTS: Final = MappingProxyType(
    {word: tuple(p for p in PHRASES if p.words[0] == word) for word in sorted({p.words[0] for p in PHRASES})}
)


@dataclass(frozen=True)
class LinkCue:
    """A sentence-initial link to the sentence before. ``previous_first``: that sentence is the head."""

    words: tuple[str, ...]
    type: RelationType
    subtype: str
    confidence: float
    previous_first: bool = True
    needs_comma: bool = False


LINKS: Final = (
    LinkCue(("as", "a", "result"), CAUSAL, "result", 0.8, needs_comma=True),
    LinkCue(("as", "a", "consequence"), CAUSAL, "result", 0.8, needs_comma=True),
    LinkCue(("because", "of", "this"), CAUSAL, "result", 0.8),
    LinkCue(("due", "to", "this"), CAUSAL, "result", 0.75),
    LinkCue(("as", "a", "result", "of", "this"), CAUSAL, "result", 0.8),
    LinkCue(("for", "this", "reason"), CAUSAL, "result", 0.75),
    LinkCue(("therefore",), CAUSAL, "result", 0.7),
    LinkCue(("consequently",), CAUSAL, "result", 0.75),
    LinkCue(("hence",), CAUSAL, "result", 0.65),
    LinkCue(("thus",), CAUSAL, "result", 0.6),
    LinkCue(("then",), SEQUENTIAL, "then", 0.6),
    LinkCue(("subsequently",), SEQUENTIAL, "then", 0.7),
    LinkCue(("afterwards",), SEQUENTIAL, "then", 0.7),
    LinkCue(("after", "that"), SEQUENTIAL, "then", 0.7, needs_comma=True),
    LinkCue(("later",), SEQUENTIAL, "then", 0.6, needs_comma=True),
    LinkCue(("for", "example"), SUPPORTING, "example", 0.6, previous_first=False),
    LinkCue(("for", "instance"), SUPPORTING, "example", 0.6, previous_first=False),
    LinkCue(("furthermore",), PROGRESSIVE, "addition", 0.65),
    LinkCue(("moreover",), PROGRESSIVE, "addition", 0.65),
    LinkCue(("in", "addition"), PROGRESSIVE, "addition", 0.6, needs_comma=True),
    LinkCue(("additionally",), PROGRESSIVE, "addition", 0.6),
    LinkCue(("besides",), PROGRESSIVE, "addition", 0.55, needs_comma=True),
    LinkCue(("on", "top", "of", "that"), PROGRESSIVE, "addition", 0.65),
    LinkCue(("more", "importantly"), PROGRESSIVE, "addition", 0.65),
    LinkCue(("even", "more", "importantly"), PROGRESSIVE, "addition", 0.65),
    LinkCue(("going", "a", "step", "further"), PROGRESSIVE, "addition", 0.7),
    LinkCue(("even", "worse"), PROGRESSIVE, "addition", 0.65, needs_comma=True),
    LinkCue(("worse", "yet"), PROGRESSIVE, "addition", 0.65, needs_comma=True),
    LinkCue(("better", "still"), PROGRESSIVE, "addition", 0.65, needs_comma=True),
    LinkCue(("what", "'s", "more"), PROGRESSIVE, "addition", 0.65),
    LinkCue(("accordingly",), CAUSAL, "result", 0.6, needs_comma=True),
    LinkCue(("soon", "afterwards"), SEQUENTIAL, "then", 0.7),
    LinkCue(("shortly", "afterwards"), SEQUENTIAL, "then", 0.7),
    LinkCue(("shortly", "after"), SEQUENTIAL, "then", 0.6, needs_comma=True),
    LinkCue(("thereafter",), SEQUENTIAL, "then", 0.65, needs_comma=True),
    LinkCue(("what", "is", "more"), PROGRESSIVE, "addition", 0.65),
    LinkCue(("worse", "still"), PROGRESSIVE, "addition", 0.65, needs_comma=True),
)

RESULT_ADVERBS: Final = MappingProxyType({"therefore": 0.7, "thus": 0.6, "hence": 0.6, "consequently": 0.7})
THEN_ADVERBS: Final = frozenset({"then", "subsequently", "later", "afterwards"})

SHOWING_VERBS: Final = frozenset(
    form
    for lemma in ("indicate", "suggest", "confirm", "reveal", "demonstrate", "prove")
    for form in (lemma, f"{lemma}s", f"{lemma.removesuffix('e')}ed", f"{lemma.removesuffix('e')}ing")
) | {"show", "shows", "showed", "shown", "showing", "proven"}

SPEECH_VERBS: Final = word_set("""
    say says said tell tells told add adds added report reports reported note notes noted explain explains explained
    claim claims claimed argue argues argued announce announced warn warns warned acknowledge acknowledged rule ruled
    insist insisted admit admitted concede conceded believe
    believes believed think thinks thought
""")

EFFECT_NOUNS: Final = word_set("""
    pain pains headache headaches ache aches fever fevers nausea rash rashes itching irritation discomfort fatigue
    exhaustion dizziness swelling inflammation infection infections allergy allergies injury injuries wound wounds scar
    scars scarring burn burns bruise bruises bleeding fracture fractures dehydration suffocation malnutrition wrinkles
    death deaths fatalities casualties harm suffering trauma stress strain anxiety fear fears panic anger sadness grief
    joy happiness pleasure satisfaction frustration disappointment embarrassment relief boredom depression confusion
    loss losses shrinkage deterioration erosion corrosion contamination pollution smog damage wear leakage flooding
    tremor tremors sneezing choking screaming trembling shivering emission
    extinction noise vibration vibrations smoke fumes radiation glare odor odors odour smell stench heat warmth
    interference distortion congestion delay delays outage outages downtime errors fallout backlash disruption
    disease diseases illness cough coughs coughing cramps cancer poisoning asthma complications symptoms emissions
    profit profits wave waves sound sounds glow flicker taste
""")
"""Nouns of what somebody feels or something suffers: *from* after them names the cause."""

NOMINAL_CAUSES: Final = frozenset({"cause", "causes", "reason", "reasons", "trigger", "triggers"})
NOMINAL_RESULTS: Final = frozenset({"result", "results", "consequence", "consequences", "outcome"})

__all__ = [
    "EFFECT_NOUNS", "LINKS", "LOOSE_VERBS", "NOMINAL_CAUSES", "NOMINAL_RESULTS", "PHRASES", "PHRASE_STARTS",
    "RESULT_ADVERBS", "RESULT_PARTICIPLES",
    "SHOWING_VERBS", "SPEECH_VERBS", "THEN_ADVERBS", "VERBS", "LinkCue", "PhraseCue", "VerbCue",
]  # fmt: skip
