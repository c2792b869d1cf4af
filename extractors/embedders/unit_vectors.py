"""Brings a model's output to unit length, or says that the model answered nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.errors import ModelError


def unit_rows(vectors: NDArray[Any], *, model: str) -> NDArray[np.float32]:
    """Return ``vectors`` (n, d) as float32 with every row of Euclidean length 1.

    Raises:
        ModelError: a row holds NaN or infinity, or is all zeros and so has no direction.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise ModelError(
            f"The embedding model {model} returned a vector that is zero or not finite. "
            "Check the model's files or server, or choose another embedder."
        )
    return np.asarray(rows / lengths, dtype=np.float32)
