"""XLSX: the tables on each sheet with their headers, figures and dates as a reader sees them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from extractors.loaders.number_format import Format, built_in, read_format
from extractors.loaders.office_package import OFFICE, OfficePackage
from extractors.loaders.office_text import number, one_line
from extractors.loaders.signatures import is_office
from extractors.loaders.text_builder import TextBuilder
from extractors.loaders.xlsx_sheet import S, Values, read_sheet, rich_text
from extractors.loaders.xlsx_tables import add_sheet
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import PlaceKind, TextKind

_THREAD = "Comment:"  # newer programs write before it, for older ones, that they cannot show a thread
# A string that many cells share is stored once: a small file may say a lot.
_MOST_CHARACTERS = 50_000_000


class XlsxLoader:
    """Reads XLSX from its XML: of formulas the stored values; hidden sheets and macros are left out."""

    name = "xlsx@2"
    suffixes = (".xlsx", ".xlsm", ".xltx")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.CONTENT if is_office(data, "xl") else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The workbook as one document with a place for each sheet; titled by its properties or its first cell."""
        package = OfficePackage(path, data)
        main = package.main_part()
        if main.endswith(".bin"):
            raise LoadError(
                f"{path.name} is a binary workbook (XLSB), which is not read. "
                "Open it in a spreadsheet program and save it as XLSX"
            )
        root = package.xml(main)
        settings = root.find(f"{S}workbookPr")
        since_1904 = settings is not None and settings.get("date1904") in {"1", "true"}
        values = Values(_strings(package, main), _formats(package, main), since_1904)
        builder = TextBuilder()
        headline = ""
        hidden: list[str] = []
        charts: list[str] = []
        unknown, room = 0, _MOST_CHARACTERS
        for entry in root.iter(f"{S}sheet"):
            relation = package.relations(main).get(entry.get(f"{OFFICE}id", ""))
            label = " ".join(entry.get("name", "").split())
            if relation is None or relation.kind != "worksheet":
                charts.append(label)
                continue
            if entry.get("state", "visible") != "visible":
                hidden.append(label)
                continue
            sheet = read_sheet(package.stream(relation.target, (f"{S}row", f"{S}mergeCell")), values, room)
            unknown += sheet.unknown
            room -= sheet.characters
            if room < 0:
                raise LoadError(
                    f"{path.name} holds more than {_MOST_CHARACTERS:,} characters. Split it into smaller workbooks"
                )
            with builder.place(PlaceKind.SHEET, label):
                first = add_sheet(builder, sheet, f"{path.name}: the sheet {label}")
                headline = headline or first
                for comment in _comments(package, relation.target) if options.comments else ():
                    builder.paragraph(comment)
        title, metadata = package.properties()
        document = builder.document(title or headline or path.stem, kind=TextKind.TABLE, metadata=metadata)
        left_out = [
            *(f"The sheet {label} is hidden and is left out." for label in hidden),
            *(f"The sheet {label} has no cells and is left out." for label in charts),
        ]
        notes = []
        if unknown:
            notes.append(
                f"{unknown} cell{'s' * (unknown > 1)} with a formula, whose value is not stored: "
                "open the file in a spreadsheet program and save it again."
            )
        return LoadedFile(documents=(document,), notes=tuple(notes), left_out=tuple(left_out))


def _strings(package: OfficePackage, main: str) -> list[str]:
    return [
        rich_text(element)
        for part in package.related(main, "sharedStrings")[:1]
        for element in package.stream(part, (f"{S}si",))
    ]


def _formats(package: OfficePackage, main: str) -> list[Format]:
    """What each style of cell does to figures."""
    for part in package.related(main, "styles"):
        root = package.xml(part)
        codes = {number(form.get("numFmtId")): form.get("formatCode", "") for form in root.iter(f"{S}numFmt")}
        styles = root.find(f"{S}cellXfs")
        ids = [] if styles is None else [number(style.get("numFmtId")) for style in styles]
        return [read_format(codes[name] if name in codes else built_in(name)) for name in ids]
    return []


def _comments(package: OfficePackage, sheet: str) -> Iterator[str]:
    """The comments on cells of ``sheet``, each with its cell and who made it."""
    for part in package.related(sheet, "comments"):
        root = package.xml(part)
        authors = ["".join(author.itertext()) for author in root.iter(f"{S}author")]
        for comment in root.iter(f"{S}comment"):
            at = number(comment.get("authorId"), -1)
            author = one_line([authors[at]]) if 0 <= at < len(authors) else ""
            text = _comment_text(comment)
            if text:
                by = "unknown" if not author or author.startswith("tc=") else author
                yield f"[Comment of {by} on {comment.get('ref', '')}: {text}]"


def _comment_text(comment: Any) -> str:
    element = comment.find(f"{S}text")
    text = "" if element is None else rich_text(element)
    before, mark, after = text.partition(_THREAD)
    return after.strip() if mark and before.startswith("[") else text


__all__ = ["XlsxLoader"]
