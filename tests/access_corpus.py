"""Documents of two groups that speak of the same things, and what each group may be told of them.

Either group names 30% of its things in common with the other. Every word that is not common holds a canary: the mark of
those who may read it. What may be shown is worked out from the documents alone, not with the product's filters.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from extractors.loaders.csv_table import CsvLoader
from extractors.loaders.markdown import MarkdownLoader
from extractors.ports import LoadOptions
from graphrag import Document, KnowledgeBase
from storage.identity import link_id
from storage.records import OWNER, Chain

MARKS = {"a": ("zqa", "青岚"), "b": ("zqb", "赤霄"), "": ("zqo", "墨渊")}
"""The canaries in English and Chinese of those who may read a word; the last is the owner's alone."""

_COMMON = ("zqs", "玄圃")
_DEVICES = {
    "a": ("水泵", "矿井", "电网"),
    "b": ("机床", "锅炉", "仓库"),
    "": ("车间", "烟囱"),
    "both": ("油田", "码头"),
}
_PLACES = "山石林桥塔湖谷岭"
_EVENTS = ("停机", "起火", "漏水", "故障")
_LAYERS = 5
_OWN, _SHARED = 21, 9  # 9 of 30: 30% of what a group names

_ID = re.compile(r"\b(?:src|doc|chk|stm|rel|evd|chn|lnk|prp|acl|int|bat|rcp)_[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that happens, in the words by which it is named, and the layer of the chains in which it stands."""

    words: str
    language: str
    layer: int

    def said(self, *, by: str) -> str:
        """The words with an article that tells in whose document they stand."""
        return self.words if self.language == "zh" else f"{'that' if by == 'b' else 'the'} {self.words}"


def things(who: str, count: int, rng: random.Random) -> list[Thing]:
    """Things that only ``who`` names (``both``: either group), every third in Chinese."""
    english, chinese = MARKS.get(who, _COMMON)
    devices = [(place, device) for device in _DEVICES[who] for place in _PLACES]
    rng.shuffle(devices)
    found = []
    for i in range(count):
        if i % 3 == 2:
            place, device = devices[i // 3]
            words, language = f"{chinese}{place}{device}{_EVENTS[i % len(_EVENTS)]}", "zh"
        else:
            words, language = " ".join(f"{english}{_word(rng)}" for _ in range(3)), "en"
        found.append(Thing(words, language, layer=i // 3 % _LAYERS))
    return found


@dataclass(frozen=True, slots=True)
class Corpus:
    """All documents in the order in which they are ingested, and the things that are named in them."""

    documents: tuple[Document, ...]
    named: dict[str, tuple[Thing, ...]]  # by group: what its documents name

    def of(self, *groups: str) -> list[Document]:
        """The documents that a caller of these groups may read."""
        return [d for d in self.documents if set(groups) & set(d.groups or ())]


def corpus(seed: int = 20261130, *, documents: int = 16) -> Corpus:
    """Two groups with ``documents`` of their own each, some that both may read, and some that nobody may."""
    rng = random.Random(seed)
    common = things("both", _SHARED, rng)
    # The longer names of common things: linked to them as saying the same, and known to one group only.
    longer = {
        who: [Thing(f"{t.words} {MARKS[who][0]}{_word(rng)}", "en", t.layer) for t in common if t.language == "en"][:4]
        for who in "ab"
    }
    own = {who: things(who, _OWN, rng) for who in "ab"}
    named = {who: (*own[who], *common) for who in "ab"}
    everything = [*own["a"], *own["b"], *common, *longer["a"], *longer["b"]]
    found = [
        *(_document(rng, who, n, [*named[who], *longer[who]]) for who in "ab" for n in range(documents)),
        *(_document(rng, "ab", n, common) for n in range(3)),
        *(_document(rng, "", n, [*everything, *things("", 6, rng)]) for n in range(3)),
        *(_table(rng, who, named[who]) for who in "ab"),
        # One thing in two languages, of which each group knows one.
        Document(id="a-harbour", text="The closed harbour causes the zqalate.", groups=("a",)),
        Document(id="b-harbour", text="港口关闭导致赤霄山锅炉停机。", groups=("b",)),
        Document(id="ab-harbour", text="The closed port causes the zqslate.", groups=("a", "b")),
    ]
    rng.shuffle(found)
    return Corpus(tuple(found), {who: (*named[who], *longer[who]) for who in "ab"})


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("bdfgkmnprt") + rng.choice("aiou") for _ in range(2)) + "k"


def _document(rng: random.Random, groups: str, number: int, known: Sequence[Thing]) -> Document:
    """A page of a few sentences, each a link of the chains, with canaries in path, title, heading and metadata."""
    by = groups if len(groups) == 1 else "ab"[number % 2]
    english, chinese = MARKS.get(groups, _COMMON)
    sentences = [_sentence(rng, by, known) for _ in range(4)]
    secret = f"{english}{_word(rng)}"
    front = f"---\ntitle: {english.title()} {chinese} report\nauthor: {secret}\n---\n"
    body = f"# {english} {chinese}\n\n{sentences[0]} {sentences[1]}\n\n## {secret}\n\n{sentences[2]} {sentences[3]}\n"
    read = MarkdownLoader().load(
        PurePath("page.md"), f"{front}{body}\nNobody but {secret} knew.\n".encode(), LoadOptions()
    )
    return read.documents[0].model_copy(
        update={
            "id": f"{groups or 'o'}/{english}-{number}",
            "groups": tuple(groups),
            "metadata": {"year": 2024 + number % 2, "author": secret},
        }
    )


def _sentence(rng: random.Random, by: str, known: Sequence[Thing]) -> str:
    """One link from a layer to the next, in the language of both ends where they have one."""
    while True:
        head = rng.choice([t for t in known if t.layer < _LAYERS - 1])
        onward = [t for t in known if t.layer == head.layer + 1 and t.language == head.language]
        if onward:
            tail = rng.choice(onward)
            break
    if head.language == "zh":
        return f"{head.words}{rng.choice(['导致', '导致', '可能导致', '先于'])}{tail.words}。"
    cue = rng.choice(["causes", "causes", "causes", "may cause", "does not cause" if by == "b" else "precedes"])
    return f"{head.said(by=by).capitalize()} {cue} {tail.said(by=by)}."


def _table(rng: random.Random, who: str, known: Sequence[Thing]) -> Document:
    english, chinese = MARKS[who]
    rows = [f"{english}{_word(rng)},{_sentence(rng, who, known)}" for _ in range(4)]
    data = "\n".join([f"{english}plant,{chinese}note", *rows]).encode()
    read = CsvLoader().load(PurePath("plants.csv"), data, LoadOptions(rows="table"))
    return read.documents[0].model_copy(update={"id": f"{who}/{english}-plants.csv", "groups": (who,)})


# --- what a caller may be told ---------------------------------------------------------------------------------------


def allowed_ids(kb: KnowledgeBase, group: str) -> set[str]:
    """Every id of what the documents of ``group`` hold, and of what lies between: same_as links both of whose ends they
    say, and accepted chains of which they hold every link."""
    graph = kb._stores.graph
    documents = [s.document_id for s in graph.sources(graph.scope(OWNER)) if group in s.groups]
    allowed: set[str] = set()
    for held in graph.document_graphs(documents):
        allowed |= {held.source.id, held.document.id}
        for records in (held.chunks, held.statements, held.relations, held.evidence, held.chains):
            allowed.update(record.id for record in records)
    links = [(link.first, link.second) for link in graph.residue().same_as]
    allowed |= {link_id(*ends) for ends in links if allowed.issuperset(ends)}
    allowed |= {chain.id for chain, _ in graph.derived_chains() if allowed.issuperset(chain.relation_ids)}
    return allowed


def ids_in(text: str) -> set[str]:
    """Every whole id in a text."""
    return set(_ID.findall(text))


def chains_in(data: object) -> dict[str, tuple[str, ...]]:
    """Id → relation ids of every chain in a result."""
    found: dict[str, tuple[str, ...]] = {}
    if isinstance(data, dict):
        if "links" in data and "id" in data:
            found[data["id"]] = tuple(link["relation_id"] for link in data["links"])
        for value in data.values():
            found |= chains_in(value)
    elif isinstance(data, list):
        for value in data:
            found |= chains_in(value)
    return found


def foreign(data: object, text: str, allowed: set[str], group: str) -> list[str]:
    """What a caller of ``group`` was told that it may not know: canaries of others, and ids that are not its own.

    A chain that was only walked is known by its links.
    """
    walked = {
        id_ for id_, links in chains_in(data).items()
        if allowed.issuperset(links) and id_ == Chain(relation_ids=links).id
    }  # fmt: skip
    lowered = text.lower()
    words = [mark for who, marks in MARKS.items() if who != group for mark in marks if mark in lowered]
    return sorted(words + list(ids_in(text) - allowed - walked))


__all__ = ["MARKS", "Corpus", "Thing", "allowed_ids", "chains_in", "corpus", "foreign", "ids_in", "things"]
