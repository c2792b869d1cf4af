"""Runs ONNX models on the CPU so that a vector never depends on what else is embedded with it."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

from storage.errors import ConfigurationError, MissingExtraError, ModelError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class NamedTensor(Protocol):
    """Name and shape of one input or output; a shape's entry is None or a name where it is not fixed."""

    name: str
    shape: list[int | str | None]


class OnnxSession(Protocol):
    """The part of ``onnxruntime.InferenceSession`` that is used here."""

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any]) -> list[Any]:
        """Return all outputs, or those named."""

    def get_inputs(self) -> list[NamedTensor]:
        """Return the declared inputs."""

    def get_outputs(self) -> list[NamedTensor]:
        """Return the declared outputs, in the order in which ``run`` returns them."""


def onnxruntime_version(*, extra: str | None = None) -> str:
    """Return the version of onnxruntime, which is part of a vector's identity: kernels differ in the last bits.

    Raises:
        ConfigurationError: onnxruntime is not installed; a ``MissingExtraError`` when ``extra`` names who brings it.
    """
    try:
        return importlib.metadata.version("onnxruntime")
    except importlib.metadata.PackageNotFoundError:
        # onnxruntime-gpu and its like own the same import name under another distribution.
        return str(_onnxruntime(extra).__version__)


def open_session(model: bytes | Path, *, label: str, fused: bool = True, extra: str | None = None) -> OnnxSession:
    """Open ``model`` for single-threaded use on the CPU.

    One thread inside the runtime: its own pool cannot survive ``fork()``, and parallel sums would make a vector depend
    on the number of cores. Parallelism comes from running several texts at once, see :func:`run_longest_first`.

    Args:
        model: a serialised ONNX model, or the path of one (needed when its weights lie in files beside it).
        label: what to call the model in messages.
        fused: allow the runtime's extended fusions; off for graphs that already use fused operators.
        extra: the optional dependency group that brings onnxruntime, if it is not a hard dependency.

    Raises:
        ConfigurationError: onnxruntime is not installed.
        ModelError: the model cannot be loaded.
    """
    onnxruntime = _onnxruntime(extra)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED if fused else levels.ORT_ENABLE_BASIC
    source = model if isinstance(model, bytes) else str(model)
    try:
        session: OnnxSession = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no base class of their own
        raise ModelError(
            f"The model {label} cannot be loaded by onnxruntime: {error}. Reinstall or export the model again."
        ) from error
    return session


def run_session(session: OnnxSession, inputs: Mapping[str, Any], *, label: str) -> list[Any]:
    """Run ``session`` once.

    Raises:
        ModelError: the runtime refuses the inputs or fails inside the model.
    """
    try:
        return session.run(None, inputs)
    except Exception as error:  # as above
        raise ModelError(f"The model {label} failed while embedding: {error}. Check or replace the model.") from error


def run_longest_first(
    run: Callable[[_Item], _Result], items: Sequence[_Item], *, length: Callable[[_Item], int], threads: int
) -> list[_Result]:
    """Apply ``run`` to every item, the longest first, on ``threads`` threads; results keep the order of ``items``.

    The longest first, so that no thread is left with one long item at the end. The pool lives for one call only:
    threads do not survive ``fork()``, and a pool kept across one would wait for ever.
    """
    order = sorted(range(len(items)), key=lambda position: -length(items[position]))
    longest_first = [items[position] for position in order]
    if threads <= 1 or len(items) <= 1:
        results = [run(item) for item in longest_first]
    else:
        with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="embed") as pool:
            results = list(pool.map(run, longest_first))
    by_position = dict(zip(order, results, strict=True))
    return [by_position[position] for position in range(len(items))]


def _onnxruntime(extra: str | None) -> Any:
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as error:
        if extra is not None:
            raise MissingExtraError("Running an ONNX embedding model", extra) from error
        raise ConfigurationError(
            f"onnxruntime cannot be imported ({error}). Install it with: pip install onnxruntime, "
            "or choose the embedder 'use', which does not need it."
        ) from error
