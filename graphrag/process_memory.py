"""How much memory the allocator of a process keeps of what was given back."""

from __future__ import annotations

import ctypes
import os
import platform

_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)
_ARENAS = 2


def share_arenas() -> bool:
    """Let the threads of this process share two arenas of glibc's allocator; whether they will.

    By default every thread may have an arena of its own, up to eight for each processor, and each keeps what it was
    given back: LanceDB's threads then hold most of a gigabyte that nobody uses. For a program's own process, at its
    start; a library leaves this to its host. ``MALLOC_ARENA_MAX`` in the environment goes before.
    """
    if platform.libc_ver()[0] != "glibc" or "MALLOC_ARENA_MAX" in os.environ:
        return False
    return bool(ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS))


__all__ = ["share_arenas"]
