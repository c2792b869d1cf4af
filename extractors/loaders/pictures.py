"""Pictures inside documents: who reads them, which are worth reading, and how what they say stands in the text."""

from __future__ import annotations

import logging
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum, auto
from functools import cache
from hashlib import blake2b
from importlib.metadata import entry_points
from importlib.util import find_spec
from io import BytesIO
from typing import Protocol

from extractors.language import detect_language
from extractors.loaders.ocr import installed_recognizer
from extractors.loaders.office_text import one_line, tidy
from extractors.loaders.picture_text import TextInPictures
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import LoadOptions
from storage.errors import LoadError

ENTRY_POINTS = "clew.pictures"
"""The group in which a package names its reader of pictures; of several the first by name is used."""

MAX_PICTURE = 32 * 1024 * 1024
"""How many bytes a picture may have; a longer one is not unpacked."""

_MOST_PIXELS = 40_000_000  # decoded, four bytes each
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_ICON, _RULE = 100, 12  # pixels of the longer and the shorter side that are too few for words
_MOST = 200  # of one document
_MOST_CHARACTERS = 20_000  # of one picture
_LOGO = 3  # a picture that stands so often in a document belongs to its looks

_FILE_NAME = re.compile(r"\S{1,200}\.(?:png|jpe?g|gif|bmp|tiff?|webp|emf|wmf|svg)", re.IGNORECASE)
_NO_TEXT = re.compile(r"(?:picture|image|photo|graphic|figure|图片|图像|圖片)\s{0,3}\d{0,5}", re.IGNORECASE)
_AUTOMATIC = re.compile(
    r"(?:description automatically generated(?: with \w{1,10} confidence)?|AI-generated content may be incorrect)\.?",
    re.IGNORECASE,
)

_log = logging.getLogger(__name__)


class PictureReader(Protocol):
    """Says what a picture says or shows. A package adds one by an entry point in the group ``clew.pictures``."""

    @property
    def name(self) -> str:
        """Method and version, for the fingerprint."""

    def read(self, picture: bytes) -> str:
        """The words in the picture, or words for what it shows; "" if there are none.

        ``picture`` is a whole PNG, JPEG, GIF, BMP, TIFF or WebP file. Raises LoadError when it is damaged.
        """


@cache
def picture_reader() -> PictureReader | None:
    """The reader of a package, else the one that reads text if the extra ``ocr`` is installed, else None."""
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda e: e.name):
        try:
            reader: PictureReader = entry.load()()
        except Exception as error:  # noqa: BLE001 - another package's code
            _log.warning("The reader of pictures %s of %s cannot be used (%s)", entry.name, entry.value, error)
            return None  # not another in its place: nobody would know who read
        return reader
    recognizer = installed_recognizer()
    return None if recognizer is None else TextInPictures(recognizer)


def load_signature(options: LoadOptions) -> str:
    """The signature of ``options``, with who reads pictures if they are to be read."""
    if not options.pictures:
        return options.signature
    reader = picture_reader()
    return f"{options.signature},picture_reader={'none' if reader is None else reader.name}"


def pictures_of(options: LoadOptions, names: Callable[[], Iterable[str]]) -> Pictures | None:
    """What reads the pictures of one document; None if they are not to be read.

    ``names`` gives the name of each picture as often as it stands in the document.
    """
    if not options.pictures:
        return None
    repeated = frozenset(name for name, times in Counter(names()).items() if times >= _LOGO)
    return Pictures(picture_reader(), repeated, seconds=options.picture_seconds)


class Pictures:
    """Reads the pictures of one document, each once, and counts those that cannot be read."""

    def __init__(
        self, reader: PictureReader | None, repeated: frozenset[str] = frozenset(), *, seconds: float | None = None
    ) -> None:
        """``repeated``: names of pictures that are left out; ``seconds``: how long may be spent on all."""
        self._reader = reader if find_spec("PIL") is not None else None
        self._repeated = repeated
        self._seconds = seconds
        self._seen: set[str | bytes] = set()
        self._tried = 0
        self._unread: Counter[_Unread] = Counter()
        self._failure = ""
        self.found = 0
        """How many had words."""
        self.spent = 0.0
        """Seconds that the reader took."""

    def add(self, builder: TextBuilder, name: str, data: Callable[[], bytes], alternative: str = "") -> None:
        """Add what the picture of that name says as a paragraph of its own; see :meth:`words`."""
        builder.paragraph(self.words(name, data, alternative))

    def words(self, name: str, data: Callable[[], bytes], alternative: str = "") -> str:
        """What a picture says, marked as such; "" if it says nothing, is tiny, or was there before.

        Args:
            name: of the picture in the document.
            data: gives its bytes; may raise LoadError.
            alternative: what its author says of it, used where the reader finds nothing.
        """
        if name in self._seen or name in self._repeated:
            return ""
        self._seen.add(name)
        read = self._read(data)
        if read is None:
            return ""
        words = tidy(read)[:_MOST_CHARACTERS] or _alternative(alternative)
        if not words:
            return ""
        self.found += 1
        return f"[图片：{words}]" if detect_language(words) == "zh" else f"[Picture: {words}]"

    def _read(self, data: Callable[[], bytes]) -> str | None:
        """What the reader says; None for a picture that is not worth asking about."""
        if self._reader is None:
            self._unread[_Unread.NO_READER] += 1
            return ""
        try:
            picture = data()
        except LoadError:
            self._unread[_Unread.UNKNOWN] += 1
            return ""
        digest = blake2b(picture, digest_size=16).digest()
        if digest in self._seen:
            return None
        self._seen.add(digest)
        size = _size(picture)
        if isinstance(size, _Unread):
            self._unread[size] += 1
            return ""
        if max(size) < _ICON or min(size) < _RULE:
            return None
        if self._tried == _MOST:
            self._unread[_Unread.TOO_MANY] += 1
            return ""
        if self._seconds is not None and self.spent > self._seconds:
            self._unread[_Unread.NO_TIME] += 1
            return ""
        self._tried += 1
        return self._asked(self._reader, picture)

    def _asked(self, reader: PictureReader, picture: bytes) -> str:
        started = time.monotonic()
        try:
            return str(reader.read(picture))
        except MemoryError:
            raise
        except LoadError:
            self._unread[_Unread.UNKNOWN] += 1
        except Exception as error:  # noqa: BLE001 - another package's code
            _log.debug("reading a picture failed", exc_info=True)
            self._failure = self._failure or " ".join(f"{type(error).__name__}: {error}".split())[:200]
            self._unread[_Unread.FAILED] += 1
        finally:
            self.spent += time.monotonic() - started
        return ""

    def left_out(self) -> tuple[str, ...]:
        """Which pictures were not read and why, in words for people."""
        name = "" if self._reader is None else self._reader.name
        why = {
            _Unread.NO_READER: "there is nothing to read them with. Install text recognition with: "
            f"pip install 'clew[ocr]'; or see that the package with the entry point {ENTRY_POINTS} works",
            _Unread.UNKNOWN: f"damaged, larger than {MAX_PICTURE // 1024**2} MB, or none of {', '.join(_FORMATS)}",
            _Unread.TOO_LARGE: f"larger than {_MOST_PIXELS // 1_000_000} million pixels",
            _Unread.TOO_MANY: f"of one document {_MOST} are read. Split it",
            _Unread.NO_TIME: f"the {self._seconds or 0:g} s for them, half of loader_seconds, were over. Raise that, "
            "remove the document and take it in again",
            _Unread.FAILED: f"{name} failed ({self._failure}). A reader that needs the network or writes files needs "
            "loader_process = false",
        }
        return tuple(
            f"{count} picture{' was' if count == 1 else 's were'} not read: {why[kind]}."
            for kind, count in sorted(self._unread.items(), key=lambda item: item[0].value)
        )


class _Unread(Enum):
    NO_READER = auto()
    UNKNOWN = auto()
    TOO_LARGE = auto()
    TOO_MANY = auto()
    NO_TIME = auto()
    FAILED = auto()


def _size(picture: bytes) -> tuple[int, int] | _Unread:
    """Width and height by the header alone, or why the picture cannot be read."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(picture), formats=_FORMATS) as image:
                size = image.size
    except MemoryError:
        raise
    except Image.DecompressionBombError:
        return _Unread.TOO_LARGE
    except Exception:  # noqa: BLE001 - what Pillow raises on damaged headers is of many kinds
        return _Unread.UNKNOWN
    return _Unread.TOO_LARGE if size[0] * size[1] > _MOST_PIXELS else size


def _alternative(text: str) -> str:
    """What an author says of a picture, if those are words: no name of a file, nothing that a program put there."""
    words = one_line([_AUTOMATIC.sub(" ", text[:_MOST_CHARACTERS])])
    return "" if _FILE_NAME.fullmatch(words) or _NO_TEXT.fullmatch(words) else words


__all__ = [
    "ENTRY_POINTS",
    "MAX_PICTURE",
    "PictureReader",
    "Pictures",
    "load_signature",
    "picture_reader",
    "pictures_of",
]
