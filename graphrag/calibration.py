"""What a cosine of this embedder is worth: 0 between unrelated texts, 1 between two that say the same.

Embedders spread unrelated texts differently (multilingual-e5 hardly goes below 0.7), so a raw cosine cannot be compared
with a threshold. A few pairs, written for this and embedded once, place the two ends of the scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from storage.ports import Embedder

_SAME = (
    ("The bridge was closed because of the storm.", "The storm shut the bridge."),
    ("Sales rose in the second quarter.", "Revenue went up in the second quarter."),
    ("The backup job failed overnight.", "The nightly backup did not complete."),
    ("大雨导致列车晚点。", "因为下大雨，火车误点了。"),
    ("铜的价格上涨了。", "铜价上升。"),
    ("服务器在凌晨宕机。", "凌晨时服务器停止运行。"),
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The mean cosine of unrelated texts and of texts that say the same."""

    unrelated: float
    same: float

    def similarity(self, cosine: float) -> float:
        """``cosine`` on the scale from unrelated (0) to the same (1), clipped to it."""
        return min(1.0, max(0.0, (cosine - self.unrelated) / (self.same - self.unrelated)))


def calibrate(embedder: Embedder) -> Calibration:
    """Measure the two ends of the scale; twelve short texts, which the embedding cache keeps."""
    first = embedder.embed([a for a, _ in _SAME], "query")
    second = embedder.embed([b for _, b in _SAME], "passage")
    cosines = first @ second.T
    same = float(np.mean(np.diag(cosines)))
    unrelated = float(np.mean(cosines[~np.eye(len(_SAME), dtype=bool)]))
    return Calibration(unrelated, max(same, unrelated + 1e-3))


__all__ = ["Calibration", "calibrate"]
