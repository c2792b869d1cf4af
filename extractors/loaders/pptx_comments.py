"""Comments of reviewers on slides, of the older and the newer kind."""

from __future__ import annotations

from collections.abc import Iterator

from extractors.loaders.office_package import OfficePackage
from extractors.loaders.office_text import DRAWING, one_line
from storage.errors import LoadError


def slide_comments(package: OfficePackage, main: str, slide: str) -> Iterator[str]:
    """The comments on ``slide``, each with who made it; ``main`` is the part of the presentation."""
    names = _authors(package, main)
    for part in package.related(slide, "comments"):
        try:
            root = package.xml(part)
        except LoadError:
            continue
        for comment in root.iter("{*}cm", "{*}reply"):
            text = one_line(
                "".join(element.itertext())
                for child in comment
                if child.tag.rsplit("}", 1)[-1] in {"text", "txBody"}
                for element in (child.iter(f"{DRAWING}p") if child.tag.endswith("}txBody") else [child])
            )
            author = names.get(comment.get("authorId", ""), "unknown")
            if text:
                yield f"[Comment of {author}: {text}]"


def _authors(package: OfficePackage, main: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for part in (*package.related(main, "commentAuthors"), *package.related(main, "authors")):
        try:
            root = package.xml(part)
        except LoadError:
            continue
        for author in root:
            names[author.get("id", "")] = " ".join(author.get("name", "").split())
    return names


__all__ = ["slide_comments"]
