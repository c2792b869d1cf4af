"""Word lists of the English normaliser, as data: what is dropped, what says a direction, what says no."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``, for tables that read as prose."""
    return frozenset(text.split())


FUNCTION_WORDS: Final = word_set("""
    a an the this that these those such each every either both all any some another other others own same i me my
    mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves one ones who whom whose which what whatever whoever whichever
    there here be is am are was were been being have has had having do does did doing done will would shall should
    can could may might must ought used get gets got getting gotten s d ll re ve m of to in on at by for from with
    within into onto upon about as than between among amongst through throughout during across along around near per
    via towards toward regarding concerning besides behind beside inside and or but if then so because since while
    whereas although though when whenever where wherever why how whether unless until
""")
"""Determiners, pronouns, auxiliaries, modals, prepositions, conjunctions. Words that tell opposites apart stay terms:
*before, after, under, over, off, out, up, down, against, more, less, few, many, only*."""

GENERIC_ADVERBS: Final = word_set("""
    very really quite rather too also just even still yet already again almost nearly actually simply basically
    indeed however therefore thus hence consequently furthermore moreover finally eventually immediately suddenly
    currently now later soon often usually always sometimes generally typically mostly mainly largely probably
    possibly perhaps likely apparently significantly substantially considerably dramatically sharply slightly
    greatly severely heavily rapidly quickly steadily gradually steeply respectively accordingly subsequently
    additionally meanwhile instead otherwise anyway likewise
""")

NEGATORS: Final = word_set("""
    not no never without cannot nor neither none n't
""")

_UP_VERBS = (
    "rise increase surge soar climb grow jump spike skyrocket swell escalate accelerate expand boost mount rebound"
)
_DOWN_VERBS = (
    "fall drop decline decrease plunge slow shrink cut slump tumble plummet dip reduce dwindle diminish lessen weaken "
    "halve"
)

UP: Final = word_set(f"{_UP_VERBS} growth uptick upturn upswing expansion escalation acceleration higher")
DOWN: Final = word_set(f"{_DOWN_VERBS} reduction downturn slowdown shrinkage decrement lower fewer downswing")
"""Lemmas (and comparatives, which stay as they are) that say only which way something goes."""

SIDEWAYS: Final = word_set("""
    off over apart back out into asleep behind through up silent ill foul short victim
""")
"""After one of these a direction word is another verb: *cut off*, *fall over*, *drop out*, *grow up*."""

BARE_ADJECTIVES: Final = frozenset({"slow", "expand", "mount"})
"""Direction words that are as often an adjective or a noun when bare: direction only after *to*, a modal or *do*."""

VERB_SIGNS: Final = word_set("""
    to will would shall should can could may might must do does did n't not
""")

MOVING: Final = word_set("""
    go be come move trend head edge turn creep tick is are was were been went gone goes
""")
"""Before *up* or *down* these make a direction: *went up*, *was down*."""

NUMBERS: Final = MappingProxyType({
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
})  # fmt: skip
"""Numbers written out, read as digits; *one* is an article."""

LEMMAS: Final = MappingProxyType({
    # forms that a frequency dictionary ties to another word, or leaves alone
    "rose": "rise", "broke": "break", "gone": "go", "went": "go", "worse": "worse", "better": "better", "best": "best",
    "worst": "worst", "lay": "lay", "data": "data", "media": "media", "lower": "lower", "higher": "higher",
    "lowered": "reduce",
    "lowers": "reduce", "lowering": "reduce", "raised": "raise", "fewer": "fewer", "less": "less", "more": "more",
    "most": "most", "least": "least", "left": "leave", "leaves": "leave", "wound": "wound", "saw": "see",
    "felt": "feel",
    "lit": "light", "shrunk": "shrink", "shrank": "shrink", "froze": "freeze", "wore": "wear", "tore": "tear",
    "axes": "axis", "bases": "base", "us": "us", "dropout": "dropout", "building": "building", "meeting": "meeting",
    "funding": "funding", "housing": "housing", "opening": "open", "closing": "close", "pricing": "price",
    "slowing": "slow", "growing": "grow", "falling": "fall", "rising": "rise", "soaring": "soar", "surging": "surge",
    "shrinking": "shrink", "decreasing": "decrease", "increasing": "increase", "increasingly": "increase",
    "declining": "decline", "dropping": "drop", "plunging": "plunge", "cutting": "cut", "climbing": "climb",
    "increment": "increase", "per": "per",
})  # fmt: skip

DEVERBAL: Final = MappingProxyType({
    # nouns of happening that say no more than their verb; only such where the two are not used of different things
    "failure": "fail", "closure": "close", "deployment": "deploy", "removal": "remove", "deletion": "delete",
    "migration": "migrate", "installation": "install", "expiration": "expire", "expiry": "expire",
    "corruption": "corrupt", "exhaustion": "exhaust", "destruction": "destroy", "arrival": "arrive",
    "departure": "depart", "withdrawal": "withdraw", "resignation": "resign", "explosion": "explode",
    "eruption": "erupt", "collision": "collide", "disruption": "disrupt", "interruption": "interrupt",
    "invasion": "invade", "evacuation": "evacuate", "cancellation": "cancel", "termination": "terminate",
    "approval": "approve", "rejection": "reject", "discovery": "discover", "loss": "lose", "degradation": "degrade",
    "misconfiguration": "misconfigure", "depletion": "deplete", "contamination": "contaminate", "pollution": "pollute",
    "starvation": "starve", "detection": "detect", "replacement": "replace", "modification": "modify",
    "rotation": "rotate", "replication": "replicate", "saturation": "saturate", "contention": "contend",
})  # fmt: skip

TIME_NOUNS: Final = word_set("""
    minute minutes hour hours day days week weeks month months year years second seconds while time moment point am
    pm date decade decades
""")

__all__ = [
    "BARE_ADJECTIVES",
    "DEVERBAL",
    "DOWN",
    "FUNCTION_WORDS",
    "GENERIC_ADVERBS",
    "LEMMAS",
    "MOVING",
    "NEGATORS",
    "NUMBERS",
    "SIDEWAYS",
    "TIME_NOUNS",
    "UP",
    "VERB_SIGNS",
    "word_set",
]  # fmt: skip
