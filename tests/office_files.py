"""Office files made for tests: documents saved to bytes, and their parts changed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any


def saved(document: Any) -> bytes:
    """The bytes of a document of python-docx, python-pptx or openpyxl."""
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def changed(data: bytes, parts: Mapping[str, bytes | tuple[str, str]]) -> bytes:
    """``data`` with parts replaced or added: by bytes, or by putting one string in the place of another."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            change = parts.get(name)
            if isinstance(change, tuple):
                assert change[0].encode() in content, (name, change[0])
                content = content.replace(change[0].encode(), change[1].encode())
            elif change is not None:
                content = change
            new.writestr(name, content)
        for name in parts.keys() - set(old.namelist()):
            new.writestr(name, parts[name])
    return buffer.getvalue()
