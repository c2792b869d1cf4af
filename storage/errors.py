"""Every error that Clew raises on purpose.

    ClewError                     the root; catching it catches all of the below
    ├── UsageError                the caller's arguments do not make sense (exit code 2)
    │   └── NotFoundError         an id, path or name that is not in the store
    ├── ConfigurationError        a setting is unknown, of the wrong type or contradicts another (exit code 2)
    │   └── MissingExtraError     an optional dependency is needed and not installed
    ├── LoadError                 one document cannot be read as what it claims to be
    ├── StoreError                the store itself cannot be used as asked
    │   ├── StoreVersionError     written by another format version, or with another embedder
    │   ├── StoreBusyError        another process is writing and did not finish in time
    │   └── StoreFullError        the disk is full or refuses to write
    ├── UnreachableError          a store or model does not answer (exit code 4)
    ├── ModelError                a model failed its self-check or answered nonsense
    ├── BudgetReachedError        asking a model more would cost more than the caller allows
    └── ProposalError             a proposal cannot be moved to the state that was asked for

Each message says what happened, to what, and what to do next. ``exit_code`` is what the command line returns.
"""

from __future__ import annotations


class ClewError(Exception):
    """Root of all errors raised by Clew on purpose."""

    exit_code = 1


class UsageError(ClewError):
    """The caller's arguments do not make sense."""

    exit_code = 2


class NotFoundError(UsageError):
    """An id, path or name is not in the store, or is not visible to the caller."""


class ConfigurationError(ClewError):
    """A setting is unknown, has the wrong type or contradicts another."""

    exit_code = 2


class MissingExtraError(ConfigurationError):
    """An optional dependency is needed and not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency. Install it with: pip install 'clew[{extra}]'")
        self.extra = extra


class LoadError(ClewError):
    """One document cannot be read as what it claims to be."""


class StoreError(ClewError):
    """The store itself cannot be used as asked."""


class StoreVersionError(StoreError):
    """The store was written by another format version or with another embedder."""


class StoreBusyError(StoreError):
    """Another process holds the store for writing and did not finish in time."""


class StoreFullError(StoreError):
    """The disk is full or refuses to write."""


class UnreachableError(ClewError):
    """A store or model does not answer."""

    exit_code = 4


class ModelError(ClewError):
    """A model failed its self-check or answered nonsense."""


class BudgetReachedError(ClewError):
    """Asking a model more would cost more than the caller allows; nothing that was paid for is lost."""


class ProposalError(ClewError):
    """A proposal cannot be moved to the state that was asked for."""


__all__ = [
    "BudgetReachedError",
    "ClewError",
    "ConfigurationError",
    "LoadError",
    "MissingExtraError",
    "ModelError",
    "NotFoundError",
    "ProposalError",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "StoreVersionError",
    "UnreachableError",
    "UsageError",
]
