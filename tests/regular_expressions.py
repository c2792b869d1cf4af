"""Finds the regular expressions of the four packages, and makes texts on which each is slow if it can be.

Run as a program it prints every expression that is compiled while all modules are imported and texts of both languages
are read: one JSON list of ``[file, line, pattern, flags]``.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = ("storage", "extractors", "feedback", "graphrag")
_SEARCHING = {"search", "finditer", "findall", "sub", "subn", "split"}
_ANCHORED = {"match", "fullmatch"}
_TEXTS = (
    "Because the storm closed the port on 3 May 2024, the release slipped by 3.5 %, which led to losses; however, "
    "sales did not fall. If it rains, the road may flood. First it rained, then it flooded, as the report of Anna "
    "(see page 12) shows.",
    "由于2024年5月3日暴雨导致道路积水，列车晚点；因此货物没有按时到达，这表明港口可能停工。首先下雨，然后道路被淹。",
)


class Expression(NamedTuple):
    """One expression and where it stands."""

    file: str
    line: int
    pattern: str
    flags: int
    searched: bool  # False: only ever matched from a given place on

    @property
    def name(self) -> str:
        """For the report of the tests."""
        return f"{self.file}:{self.line} {self.pattern[:40]!r}"


def expressions() -> list[Expression]:
    """All of them, each once."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True, cwd=ROOT)
    found = {(p, f): (file, line) for file, line, p, f in json.loads(done.stdout)}
    for file, line, pattern, flags in _written():
        found.setdefault((pattern, flags), (file, line))
    uses = _uses()
    return [
        Expression(file, line, pattern, flags, uses.get((file, line), _SEARCHING) & _SEARCHING != set())
        for (pattern, flags), (file, line) in sorted(found.items(), key=lambda item: item[1])
    ]


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def _written() -> Iterator[tuple[str, int, str, int]]:
    """Expressions that stand in a call as they are, wherever that is."""
    for file, tree in _sources():
        for node in ast.walk(tree):
            if _is_re_call(node) and node.args and isinstance(node.args[0], ast.Constant):
                pattern = node.args[0].value
                if isinstance(pattern, str):
                    yield file, node.lineno, pattern, _flags(node)


def _is_re_call(node: ast.AST) -> Any:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _SEARCHING | _ANCHORED | {"compile"}
    )


def _flags(call: ast.Call) -> int:
    words = {n.attr for part in [*call.args[1:], *(k.value for k in call.keywords)] for n in ast.walk(part)
             if isinstance(n, ast.Attribute) and hasattr(re, n.attr)}  # fmt: skip
    return sum({int(getattr(re, word)) for word in words if isinstance(getattr(re, word), re.RegexFlag)})


def _uses() -> dict[tuple[str, int], set[str]]:
    """How the expression that is given a name of its file alone is used, by the place where it is compiled.

    Nothing is said of one whose name is used in any other way than to call a method of it.
    """
    uses: dict[tuple[str, int], set[str]] = {}
    for file, tree in _sources():
        called: dict[str, set[str]] = defaultdict(set)
        mentioned: dict[str, int] = defaultdict(int)
        places: dict[str, tuple[int, int]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                mentioned[node.id] += 1
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if isinstance(node.func.value, ast.Name):
                    called[node.func.value.id].add(node.func.attr)
                    mentioned[node.func.value.id] -= 1
                if _is_re_call(node) and node.func.attr != "compile":
                    uses[file, node.lineno] = {node.func.attr}
            if isinstance(node, ast.Assign) and _is_re_call(node.value) and isinstance(node.targets[0], ast.Name):
                places[node.targets[0].id] = (node.value.lineno, node.value.end_lineno or node.value.lineno)
        for name, (first, last) in places.items():
            own = name.startswith("_") and mentioned[name] == 0
            if own and called[name] and called[name] <= _SEARCHING | _ANCHORED:
                uses |= {(file, line): called[name] for line in range(first, last + 1)}
    return uses


# --- texts to be slow on ---------------------------------------------------------------------------------------------


def slow_texts(pattern: str, flags: int, size: int) -> list[str]:
    """Texts of about ``size`` characters made of what the pattern itself looks for, ending in what it does not."""
    tree = parser.parse(pattern, flags)
    units: dict[str, None] = {}
    whole = _sample(tree)
    units[whole] = units[whole[:-1]] = units[f"{whole} "] = units[f"{whole}\n"] = None
    for before, body in _repeats(tree, ""):
        for unit in (body, before, before + body, body + before):
            units[unit] = None
    letters = [c for c in dict.fromkeys(_letters(tree)) if c][:24]
    units |= dict.fromkeys(letters)
    for first, second in pairwise(letters):
        units[first + second] = None
    units |= dict.fromkeys((" ", "\n", "a", "A", "1", "的", "a ", "A a", "1.", "\n "))
    texts = []
    for unit in [u for u in units if u][:60]:
        body = unit * (size // len(unit))
        texts += [body + "\x00", whole[:-1] + body + "\x00"] if unit != whole else [body + "\x00"]
    return texts


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """Each part that may repeat, as words: what stands before it, and one round of it."""
    for operator, argument in tree:
        if operator in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield before, _sample(argument[2])
            yield from _repeats(argument[2], before)
        for inner in _inner(operator, argument):
            yield from _repeats(inner, before)
        before += _sample([(operator, argument)])


def _inner(operator: Any, argument: Any) -> Iterable[Any]:
    if operator is codes.BRANCH:
        return argument[1]  # type: ignore[no-any-return]
    if operator is codes.SUBPATTERN:
        return (argument[3],)
    if operator in (codes.ASSERT, codes.ASSERT_NOT):
        return (argument[1],)
    if operator is codes.ATOMIC_GROUP:
        return (argument,)
    return ()


def _sample(tree: Any) -> str:
    """Words that the tree most likely matches."""
    words = ""
    for operator, argument in tree:
        if operator is codes.LITERAL:
            words += chr(argument)
        elif operator is codes.NOT_LITERAL:
            words += "a" if argument != ord("a") else "b"
        elif operator is codes.ANY:
            words += "a"
        elif operator is codes.IN:
            words += _member(argument)
        elif operator in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            words += _sample(argument[2]) * max(min(argument[0], 20), 1 if argument[1] else 0)
        elif operator is codes.BRANCH:
            words += _sample(argument[1][0])
        elif operator is codes.SUBPATTERN:
            words += _sample(argument[3])
        elif operator is codes.ATOMIC_GROUP:
            words += _sample(argument)
    return words


_CATEGORIES = {
    codes.CATEGORY_DIGIT: "1", codes.CATEGORY_SPACE: " ", codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_DIGIT: "a", codes.CATEGORY_NOT_SPACE: "a", codes.CATEGORY_NOT_WORD: "-",
}  # fmt: skip


def _members(items: Any) -> Iterator[str]:
    negated = bool(items) and items[0][0] is codes.NEGATE
    if negated:
        pattern = {chr(a) for o, a in items if o is codes.LITERAL}
        ranges = [a for o, a in items if o is codes.RANGE]
        categories = {a for o, a in items if o is codes.CATEGORY}
        for c in "a 1-.,;\n的,A":
            if c in pattern or any(low <= ord(c) <= high for low, high in ranges):
                continue
            if (codes.CATEGORY_SPACE in categories and c.isspace()) or (
                codes.CATEGORY_WORD in categories and c.isalnum()
            ):
                continue
            yield c
        return
    for operator, argument in items:
        if operator is codes.LITERAL:
            yield chr(argument)
        elif operator is codes.RANGE:
            yield chr(argument[0])
        elif operator is codes.CATEGORY:
            yield _CATEGORIES.get(argument, "a")


def _member(items: Any) -> str:
    return next(_members(items), "a")


def _letters(tree: Any) -> Iterator[str]:
    """Every letter that the tree names, and one or two of each class."""
    for operator, argument in tree:
        if operator is codes.LITERAL:
            yield chr(argument)
        elif operator is codes.IN:
            yield from list(_members(argument))[:3]
        elif operator in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield from _letters(argument[2])
        else:
            for inner in _inner(operator, argument):
                yield from _letters(inner)


# --- the program -----------------------------------------------------------------------------------------------------


def _record() -> None:
    found: dict[tuple[str, int], tuple[str, int]] = {}
    compile_ = re._compile  # type: ignore[attr-defined]

    def compiled(pattern: Any, flags: int) -> Any:
        made = compile_(pattern, flags)
        frame = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") == "re":
            frame = frame.f_back  # type: ignore[assignment]
        name = frame.f_globals.get("__name__", "") if frame else ""
        if name.partition(".")[0] in PACKAGES and isinstance(made.pattern, str):
            file = Path(frame.f_code.co_filename).relative_to(ROOT).as_posix()
            found.setdefault((made.pattern, made.flags & ~re.UNICODE), (file, frame.f_lineno))
        return made

    re._compile = compiled  # type: ignore[attr-defined]
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    from extractors import default_chunker, extract
    from graphrag.question import read_question
    from storage.records import Document

    for text in _TEXTS:
        extract(text)
        read_question(text)
        default_chunker().chunk(Document(text=text))
    json.dump([[file, line, pattern, flags] for (pattern, flags), (file, line) in found.items()], sys.stdout)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    _record()
