"""Definitions in source code, found by tree-sitter: which there are, what they are called, where statements end."""

from __future__ import annotations

import importlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from extractors.unparted import LONGEST_TOKEN, quick_tokens

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser

_MODULES = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
}  # fmt: skip
"""The package and function of each grammar, by the language's name."""

_ECMA = {
    "class_declaration": "class", "abstract_class_declaration": "class", "function_declaration": "function",
    "generator_function_declaration": "function", "method_definition": "", "interface_declaration": "interface",
    "enum_declaration": "enum", "type_alias_declaration": "type", "internal_module": "namespace",
}  # fmt: skip
_C = {"function_definition": "", "struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum"}
_KEYWORDS: Mapping[str, Mapping[str, str]] = {
    "python": {"class_definition": "class", "function_definition": "def"},
    "javascript": _ECMA,
    "typescript": _ECMA,
    "tsx": _ECMA,
    "java": {
        "class_declaration": "class", "interface_declaration": "interface", "enum_declaration": "enum",
        "record_declaration": "record", "method_declaration": "", "constructor_declaration": "",
    },
    "go": {"function_declaration": "func", "method_declaration": "func", "type_spec": "type"},
    "rust": {
        "function_item": "fn", "struct_item": "struct", "enum_item": "enum", "trait_item": "trait",
        "impl_item": "impl", "mod_item": "mod", "union_item": "union", "macro_definition": "macro_rules!",
    },
    "c": _C,
    "cpp": {**_C, "class_specifier": "class", "namespace_definition": "namespace"},
}  # fmt: skip
"""What stands before the name of a definition, by the type of its node; "" where nothing does."""

_WRAPPERS = frozenset(
    str.split("decorated_definition export_statement template_declaration type_declaration linkage_specification")
)
_FUNCTIONS = frozenset(["arrow_function", "function_expression", "generator_function", "class"])
_WITH_BODY = frozenset(["struct_specifier", "union_specifier", "enum_specifier", "class_specifier"])
_DEEPEST = 200
"""Levels of a tree that are looked into; text nested deeper is cut like any other."""

_NAME = 80  # characters of a name


class Unit(NamedTuple):
    """A definition, a statement or a part of one that fits into a chunk, where nothing larger does."""

    start: int
    end: int
    inside: tuple[str, ...]  # the names of the definitions around it
    named: tuple[str, ...]  # the same, and its own name if it is a definition


def parser_of(language: str) -> Parser | None:
    """A parser of a language; None if there is no grammar of it."""
    if language not in _MODULES:
        return None
    import tree_sitter

    return tree_sitter.Parser(_grammar(*_MODULES[language]))


@cache
def _grammar(module: str, function: str) -> Language:
    import tree_sitter

    return tree_sitter.Language(getattr(importlib.import_module(module), function)())


def units(text: str, language: str, parser: Parser, size: float) -> Iterator[Unit]:
    """The largest parts of ``text`` that have ``size`` tokens at most, in order; what is smaller still stays whole."""
    data = text.encode()
    keywords = _KEYWORDS[language]
    position = _positions(text, data)
    fits = _fitting(text, size)
    reached = 0
    stack: list[tuple[Node, int, tuple[str, ...], int]] = [(parser.parse(data).root_node, 0, (), 0)]
    opened: set[int] = set()  # bodies of definitions that do not fit: their first statements go with the name
    while stack:
        node, above, inside, depth = stack.pop()
        start, end = max(reached, position(above)), position(node.end_byte)
        if start >= end:
            continue
        defined = _defined(node, keywords)
        named = (*inside, _label(defined, keywords)) if defined is not None else inside
        whole = depth >= _DEEPEST or (fits(start, end) and node.id not in opened)
        children = [] if whole else node.children
        if not children:
            yield Unit(start, end, inside, named)
            reached = end
            continue
        if (own := position(node.start_byte)) > start and text[start:own].strip():
            yield Unit(start, own, named, named)
            reached = own
        if defined is not None and (body := defined.child_by_field_name("body")) is not None:
            opened.add(body.id)
        for child, first in reversed(_with_comments(children)):
            stack.append((child, first, inside if child == defined else named, depth + 1))


def _positions(text: str, data: bytes) -> Callable[[int], int]:
    """From offsets in the encoded text to those in the text."""
    if len(data) == len(text):
        return lambda byte: byte
    begins = (np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80
    counts = np.concatenate([[0], np.cumsum(begins)])
    return lambda byte: int(counts[byte])


def _fitting(text: str, size: float) -> Callable[[int, int], bool]:
    """Whether a part of the text fits into a chunk; of whole lines only their sums are looked at."""
    starts, sums = [0], [0.0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
        sums.append(sums[-1] + quick_tokens(line, 0, len(line), size))

    def fits(start: int, end: int) -> bool:
        if end - start > size * LONGEST_TOKEN:
            return False
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        if sums[last + 1] - sums[first] <= size:
            return True
        return first == last and quick_tokens(text, start, end, size) <= size

    return fits


def _with_comments(children: list[Node]) -> list[tuple[Node, int]]:
    """Each child and where it begins, in bytes: with the comments and attributes right above it, which belong to it."""
    kept: list[tuple[Node, int]] = []
    above: list[Node] = []
    for child in children:
        if above and child.start_point[0] > above[-1].end_point[0] + 1:
            kept += [(node, node.start_byte) for node in above]
            above = []
        beside = bool(kept) and not above and kept[-1][0].end_point[0] == child.start_point[0]
        if not beside and ("comment" in child.type or child.type == "attribute_item"):
            above.append(child)
            continue
        kept.append((child, above[0].start_byte if above else child.start_byte))
        above = []
    return kept + [(node, node.start_byte) for node in above]


def _defined(node: Node, keywords: Mapping[str, str]) -> Node | None:
    """The definition that a node is, or that it wraps in decorators, an export or a template; None if it is none."""
    for _ in range(len(_WRAPPERS)):
        if node.type not in _WRAPPERS:
            break
        inner = (c for c in node.named_children if c.type in keywords or c.type in _WRAPPERS)
        node = next(inner, node)
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return node if value is not None and value.type in _FUNCTIONS else None
    if node.type not in keywords or (node.type in _WITH_BODY and node.child_by_field_name("body") is None):
        return None
    return node if _name(node) else None


def _label(node: Node, keywords: Mapping[str, str]) -> str:
    """What a definition is called: ``class Port``, ``def close``."""
    keyword = keywords.get(node.type, "")
    if node.type == "impl_item" and (trait := node.child_by_field_name("trait")) is not None:
        return f"impl {_words(trait)} for {_name(node)}"
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")) is not None:
        keyword = f"{keyword} {_words(receiver)}"
    return f"{keyword} {_name(node)}".strip()


def _name(node: Node) -> str:
    inner = node.child_by_field_name("name") or node.child_by_field_name(
        "type" if node.type == "impl_item" else "declarator"
    )
    while inner is not None and (deeper := inner.child_by_field_name("declarator")) is not None:
        inner = deeper
    return _words(inner) if inner is not None else ""


def _words(node: Node) -> str:
    return " ".join((node.text or b"")[: 4 * _NAME].decode("utf-8", "ignore").split())[:_NAME]


__all__ = ["Unit", "parser_of", "units"]
