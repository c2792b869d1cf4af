"""What of a page is its content: navigation, banners, comments of readers and what is hidden is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from extractors.loaders.html_tree import words_of

NEVER_SHOWN = frozenset(
    str.split(
        "head script style noscript template button select option textarea iframe svg canvas object embed audio video "
        "map rp rt del datalist applet"
    )
)
_AROUND = frozenset(str.split("nav aside footer form dialog menu header"))
_AROUND_ROLES = frozenset(str.split("navigation banner contentinfo search dialog alertdialog complementary menu"))
# Class and id words of what surrounds the text of a page; matched as whole words, so "menubar" needs its own entry.
_AROUND_WORDS = frozenset(
    str.split(
        "nav navbar navigation menu menubar sidebar breadcrumb breadcrumbs cookie cookies consent gdpr banner "
        "advert ads advertisement promo sponsored footer share sharing social related newsletter subscribe popup modal "
        "comments commentlist disqus respond pagination pager skip toc"
    )
)
_OF_READERS = frozenset({"comments", "commentlist", "disqus", "respond"})
# Tools beside a heading: what edits its section, or leads to it.
_TOOL_WORDS = frozenset({"editsection", "headerlink", "permalink"})
_LINK_SIGNS = frozenset("¶#§🔗\uf0c1")
# A remark that is set apart is part of the text, though its element is one of those around it.
_REMARK_WORDS = frozenset(
    str.split("note notes warning tip info admonition callout caution important footnote footnotes example quote")
)
_BOXES = frozenset(str.split("div ul ol section header table td tr p nav aside footer form a dl center"))
_HIDDEN_STYLE = re.compile(
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|mso-hide\s{0,9}:\s{0,9}all", re.IGNORECASE
)
_WORDS = re.compile(r"[a-z]+")
_LEGAL = re.compile(
    r"(?:copyright|©|\(c\))(?:.{0,20}\b(?:19|20)\d\d\b|.{0,120}\brights reserved)|版[权權]所有|.{0,20}ICP[备備]"
    r"|all rights reserved|we use cookies|this (?:web)?site uses cookies|本(?:网站|網站|站)(?:使用|采用)\s{0,3}cookie"
    r"|skip to (?:main )?content",
    re.IGNORECASE,
)
_LONGEST_LEGAL = 300
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SECTIONS = frozenset({"h1", "h2", "h3", "main", "article"})


@dataclass(slots=True)
class Facts:
    """What stands in an element, counted once for the whole page."""

    text: int = 0  # characters but white space
    linked: int = 0  # of them in links
    links: int = 0
    top: bool = False  # it holds the main element of the page, or a heading of the first level
    sections: bool = False  # it holds a heading of the first three levels, or an article
    tables: bool = False  # it holds a table, itself not counted

    def add(self, other: Facts) -> None:
        """Count in what stands in an element inside."""
        self.text += other.text
        self.linked += other.linked
        self.links += other.links
        self.top |= other.top
        self.sections |= other.sections
        self.tables |= other.tables


def measure(root: Any) -> dict[Any, Facts]:
    """The facts on every element that may be a part of the page or a table."""
    measured: dict[Any, Facts] = {}
    open_elements = [Facts()]
    links = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            links += element.tag == "a"
            facts = Facts()
            _count(facts, element.text, links)
            open_elements.append(facts)
            continue
        tag = element.tag
        facts = open_elements.pop()
        if tag in _BOXES or tag in _SECTIONS or tag == "body":
            measured[element] = facts
        links -= tag == "a"
        facts.links += tag == "a" and bool(element.get("href"))
        if tag in NEVER_SHOWN:
            facts = Facts()
        outer = open_elements[-1]
        outer.add(facts)
        outer.top |= tag in {"main", "h1"}
        outer.sections |= tag in _SECTIONS
        outer.tables |= tag == "table"
        _count(outer, element.tail, links)
    return measured


def _count(facts: Facts, text: str | None, links: int) -> None:
    if text and (length := len("".join(text.split()))):
        facts.text += length
        facts.linked += length if links else 0


def is_never_shown(element: Any) -> bool:
    """Whether a browser shows nothing of this element, or a control in its place."""
    if element.tag in NEVER_SHOWN:
        return True
    attributes = element.attrib
    if not attributes:
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search(attributes.get("style", "")) is not None
    )


class PageParts:
    """Tells the content of a page from what stands around it."""

    def __init__(self, root: Any) -> None:
        self._facts = measure(root)
        body = root.find("body")
        self._body = root if body is None else body
        whole = self._facts.get(self._body, Facts())
        self._text = whole.text - whole.linked

    @property
    def facts(self) -> dict[Any, Facts]:
        """What was counted."""
        return self._facts

    def main_content(self) -> Any:
        """The one main element or article that holds the text, else the body."""
        mains = [e for e in self._body.iter() if e.tag == "main" or e.get("role") == "main"]
        articles = list(self._body.iter("article"))
        for found, share in ((mains, 0.0), (articles, 0.4)):
            if len(found) == 1:
                facts = self._facts.get(found[0])
                text = len("".join(words_of(found[0]).split())) if facts is None else facts.text - facts.linked
                if text > self._text * share:
                    return found[0]
        return self._body

    def title_heading(self, content: Any) -> Any | None:
        """The one heading of the first level when it stands outside of ``content``, which has none."""
        inside = next(content.iter("h1"), None)
        found = list(self._body.iter("h1")) if inside is None else []
        return found[0] if len(found) == 1 else None

    def is_around(self, element: Any) -> bool:
        """Whether this element is no part of the content; never true for one that holds most of the text."""
        if is_never_shown(element):
            return True
        tag, attributes = element.tag, element.attrib
        if tag in {"a", "span"} and _is_tool(element):
            return True
        if tag not in _BOXES and "role" not in attributes:
            return False
        facts = self._facts.get(element, Facts())
        if facts.top or facts.text - facts.linked > max(self._text * 0.5, 200):
            return False
        words = set(_WORDS.findall(attributes.get("class", "").lower()))
        if tag in _AROUND or attributes.get("role", "").lower() in _AROUND_ROLES:
            return self._is_outer(element, facts, words)
        if not _is_named_by_its_heading(element):
            words.update(_WORDS.findall(attributes.get("id", "").lower()))
        return not _AROUND_WORDS.isdisjoint(words) or _is_link_list(tag, facts) or _is_legal(element, facts)

    @staticmethod
    def _is_outer(element: Any, facts: Facts, words: set[str]) -> bool:
        tag = element.tag
        if tag == "aside":
            return _REMARK_WORDS.isdisjoint(words)
        if tag == "header":
            return not facts.sections and facts.text - facts.linked < 200
        parent = element.getparent()
        return not (tag == "footer" and parent is not None and parent.tag == "blockquote")


def _is_tool(element: Any) -> bool:
    if not _TOOL_WORDS.isdisjoint(_WORDS.findall(element.get("class", "").lower())):
        return True
    text = "" if len(element) else (element.text or "").strip()
    return element.tag == "a" and text in _LINK_SIGNS and element.get("href", "").startswith("#")


def _is_named_by_its_heading(element: Any) -> bool:
    """Whether the id is made of the words of the heading it begins with: a part on cookies is no banner for them."""
    first = next(iter(element), None)
    identity = element.get("id", "").lower()
    if first is None or first.tag not in _HEADINGS or not identity:
        return False
    slug = "-".join(re.findall(r"\w+", words_of(first).lower()))
    return identity.rstrip("-0123456789") == slug.rstrip("-0123456789") and identity not in _OF_READERS


def _is_link_list(tag: str, facts: Facts) -> bool:
    """Whether this is a bar or list of links: three or more that hold nearly all of its few words."""
    return tag != "p" and 3 <= facts.links <= 60 and facts.text < 1000 and facts.linked >= facts.text * 0.8


def _is_legal(element: Any, facts: Facts) -> bool:
    """Whether this is a line on rights or cookies, as it stands at the foot of a page."""
    return 0 < facts.text < _LONGEST_LEGAL and _LEGAL.match(words_of(element)) is not None


__all__ = ["Facts", "PageParts", "is_never_shown", "measure"]
