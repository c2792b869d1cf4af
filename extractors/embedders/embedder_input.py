"""Makes any string safe to hand to a native tokenizer."""

from __future__ import annotations

import unicodedata

MAX_CHARACTERS = 20_000
"""Far more than the 512 tokens a model reads; it bounds the time that tokenising may take."""


def safe_text(text: str, *, max_characters: int = MAX_CHARACTERS) -> str:
    """Return ``text`` as a tokenizer can take it: bounded, valid UTF-8, without NUL.

    Native tokenizers stop at NUL and reject lone surrogates. Compatibility normalisation (NFKC), which every tokenizer
    here applies, can turn one character into eighteen (U+FDFA), so the bound holds for the normalised text as well.

    Args:
        text: any string, also with lone surrogates.
        max_characters: the longest result, in code points, before and after NFKC.
    """
    text = text[:max_characters].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    expanded = unicodedata.normalize("NFKC", text)
    return text if len(expanded) <= max_characters else expanded[:max_characters]
