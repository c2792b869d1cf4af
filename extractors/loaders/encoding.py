"""Bytes to text: byte order marks, UTF-8, UTF-16, GB18030, then statistics; bytes that are no text are refused."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from storage.errors import LoadError

_MARKS = (  # the longer first: the mark of UTF-32-LE begins with the mark of UTF-16-LE
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 26, 27}) + b"\x7f"
_MAX_CONTROLS = 0.05  # random bytes hold 9% of these; a text with stray NUL or control characters far fewer
_SAMPLE = 1 << 16  # bytes that the statistics look at
# A label says more than it means: browsers read these the same way (WHATWG Encoding Standard).
_LABELS = {"gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "iso-8859-1": "cp1252", "ascii": "cp1252",
           "us-ascii": "cp1252", "latin1": "cp1252", "latin-1": "cp1252"}  # fmt: skip
# The most frequent characters of modern Chinese and its punctuation: more than a third of any running text.
_FREQUENT = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实，。、；：“”"
)
_HANZI_PAIR = re.compile(rb"[\x80-\xff][\x30-\xff]")
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_SEQUENCE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")


def decode(data: bytes, *, declared: str | None = None, name: str = "the file") -> str:
    """The text that ``data`` holds.

    ``declared`` is what the document itself says its encoding is; it is believed where it can be true and the bytes
    are not plainly something else. ``name`` is how the error calls the file. Raises LoadError for bytes that are not
    text (more than 5% control characters) or whose encoding cannot be told.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            rest = data[len(mark) :]
            return _repaired_utf8(rest) if encoding == "utf-8" else rest.decode(encoding, "replace")
    if (utf16 := _unmarked_utf16(data)) is not None:
        return utf16
    if _has_many_controls(data):
        raise LoadError(f"{name} holds binary data, not text. Convert it to text, or give it its true file type")
    for encoding in filter(None, ("utf-8", _codec(declared))):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    if _is_damaged_utf8(data):
        return _repaired_utf8(data)
    if (chinese := _gb18030(data)) is not None:
        return chinese
    return _by_statistics(data, name)


def is_binary(data: bytes) -> bool:
    """Whether the first bytes are no text in any encoding: what :func:`decode` would refuse as binary."""
    sample = data[:_SAMPLE]
    marked = any(sample.startswith(mark) for mark, _ in _MARKS)
    return not marked and _unmarked_utf16(sample) is None and _has_many_controls(sample)


def _has_many_controls(data: bytes) -> bool:
    return bool(data) and (len(data) - len(data.translate(None, _CONTROLS))) / len(data) > _MAX_CONTROLS


def _repaired_utf8(data: bytes) -> str:
    """UTF-8 without the three bytes of a lone surrogate, which are none; any other bad byte becomes U+FFFD."""
    return _SURROGATE.sub(b"", data).decode("utf-8", "replace")


def _codec(declared: str | None) -> str | None:
    """The codec to use for a declared label; None when there is none or it is no text encoding."""
    label = (declared or "").strip().lower()
    try:
        found = codecs.lookup(_LABELS.get(label, label)).name
    except (LookupError, ValueError):
        return None
    # UTF-16 would have shown itself already; the others are Python's own transforms, not encodings of documents.
    return None if found.startswith(("utf", "idna", "punycode", "raw", "unicode", "rot", "hex", "base64")) else found


def _unmarked_utf16(data: bytes) -> str | None:
    """The text when ``data`` is UTF-16 without a mark: ASCII leaves a NUL in each pair, Chinese keeps to few rows.

    Without any ASCII character the bytes of other encodings can look the same: then a tenth of it must be frequent
    Chinese characters, of which other bytes read as UTF-16 hold about one in a hundred.
    """
    sample = data[: _SAMPLE - _SAMPLE % 2]
    if len(sample) < 4 or len(data) % 2:
        return None
    even, odd = sample[0::2], sample[1::2]
    for high, low, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        zeros, others = high.count(0), low.count(0)
        # The high byte of ASCII is 0, of Chinese 4E-9F, of its punctuation 20, 30 or FF; a text has breaks or blanks.
        rows = zeros + sum(high.count(row) for row in (*range(0x4E, 0xA0), 0x20, 0x30, 0xFF))
        if others <= len(low) * 0.02 and rows >= len(high) * 0.97 and not _is_utf8_without_nul(data):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            frequent = sum(character in _FREQUENT for character in text[:_SAMPLE])
            if zeros or frequent > max(2, min(len(text), _SAMPLE) * 0.1):
                return text
    return None


def _is_utf8_without_nul(data: bytes) -> bool:
    if b"\x00" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(data: bytes) -> bool:
    """Whether all but a few of the bytes above ASCII are UTF-8: a cut last character, a lone surrogate, a bad byte."""
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    valid = sum(len(m.group()) for m in _SEQUENCE.finditer(data[: 1 << 20]))
    high_seen = high if len(data) <= 1 << 20 else sum(byte > 127 for byte in data[: 1 << 20])
    return high_seen > 0 and valid >= 3 and valid >= high_seen * 0.9


def _gb18030(data: bytes) -> str | None:
    """The text when ``data`` reads as Chinese in GB18030.

    Almost any bytes decode as GB18030, so two more things are asked: nine of ten pairs lie in the part that GB2312
    has (Big5 and Shift-JIS use other second bytes), and at least a tenth are frequent characters (true Chinese has a
    third or more, EUC-JP and EUC-KR read as Chinese have next to none).
    """
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        try:  # a file cut inside its last character
            text = data[: -1 if len(data) > 1 else None].decode("gb18030")
        except UnicodeDecodeError:
            return None
    pairs = _HANZI_PAIR.findall(data[:_SAMPLE])
    if not pairs or sum(p[0] >= 0xA1 and p[1] >= 0xA1 for p in pairs) < len(pairs) * 0.9:
        return None
    wide = [c for c in text[:_SAMPLE] if c > "\x7f"]
    frequent = sum(c in _FREQUENT for c in wide)
    # A title or a name alone can hold no frequent character: a few pairs are believed as they are.
    return text if frequent >= len(wide) * 0.1 or len(wide) < 12 else None


def _by_statistics(data: bytes, name: str) -> str:
    """English with a few marks above ASCII is Windows-1252; for the rest charset-normalizer is asked."""
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    if high <= len(data) * 0.1:
        try:
            return data.decode("cp1252")
        except UnicodeDecodeError:
            pass
    best = from_bytes(data[:_SAMPLE]).best()
    if best is not None:
        return data.decode(best.encoding, "replace")
    raise LoadError(f"{name} is in an encoding that cannot be told. Save it as UTF-8")


__all__ = ["decode", "is_binary"]
