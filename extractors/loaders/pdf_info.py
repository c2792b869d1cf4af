"""What a PDF says about itself: title, author, dates, attached files."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

_KEYS = {"Author": "author", "Subject": "subject", "Keywords": "keywords"}
_DATES = {"CreationDate": "created", "ModDate": "modified"}
_MOST_FILES = 100  # that are named
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")


def title_of(properties: dict[str, str], path: PurePath) -> str:
    """The title in the properties, unless a program put its own words or the file's name there."""
    title = " ".join(properties.get("Title", "").split())
    machine_made = title.lower().startswith(("microsoft word", "untitled", "(anonymous)", "unspecified"))
    is_file_name = title.lower().endswith((".doc", ".docx", ".indd", ".tex", ".pdf", ".dvi"))
    return "" if machine_made or is_file_name or title == path.name else title


def metadata_of(properties: dict[str, str]) -> dict[str, str]:
    """Author, subject, keywords and dates, as far as they are there."""
    found = {name: " ".join(properties.get(key, "").split()) for key, name in _KEYS.items()}
    found |= {name: _iso_date(properties.get(key, "")) for key, name in _DATES.items()}
    return {name: value for name, value in found.items() if value and value not in {"anonymous", "unspecified"}}


def _iso_date(value: str) -> str:
    match = _DATE.match(value)
    if match is None:
        return ""
    year, month, day, hour, minute, second, utc, sign, hours, minutes = match.groups()
    date = "-".join(part for part in (year, month, day) if part)
    if not (day and hour):
        return date
    zone = "+00:00" if utc else f"{sign}{hours}:{minutes or '00'}" if sign else ""
    return f"{date}T{hour}:{minute}:{second or '00'}{zone}"


def attachments(document: Any) -> list[str]:
    """The names of the files that lie in the PDF."""
    count = min(document.count_attachments(), _MOST_FILES)
    return [" ".join(document.get_attachment(i).get_name().split()) or f"number {i + 1}" for i in range(count)]


def page_ranges(numbers: list[int]) -> str:
    """Page numbers as a person writes them: ``page 3``, ``pages 1, 4–6``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = ", ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in runs)
    return f"page {words}" if len(numbers) == 1 else f"pages {words}"


__all__ = ["attachments", "metadata_of", "page_ranges", "title_of"]
