"""Sharing the arenas of the allocator, which lasts as long as a process does: looked at in processes of their own."""

import os
import platform
import subprocess
import sys

import pytest

# Each thread holds some memory at once, from an arena of its own or from one that is shared; glibc counts them.
COUNT = """
import ctypes, sys, threading
from graphrag.process_memory import share_arenas
print(share_arenas(), end=" ")
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
together = threading.Barrier(8)
def hold():
    for _ in range(100):
        libc.malloc(ctypes.c_size_t(60_000))
    together.wait()
threads = [threading.Thread(target=hold) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
libc.malloc_stats()
"""


def counted(**environ: str) -> tuple[bool, int]:
    """Whether arenas are shared, and how many eight threads have."""
    inherited = {k: v for k, v in os.environ.items() if k != "MALLOC_ARENA_MAX"}
    done = subprocess.run(
        [sys.executable, "-c", COUNT], env=inherited | environ, capture_output=True, text=True, check=True
    )
    return done.stdout.startswith("True"), done.stderr.count("Arena ")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc's allocator")
def test_eight_threads_share_two_arenas() -> None:
    assert counted() == (True, 2)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc's allocator")
def test_what_the_environment_says_goes_before() -> None:
    shared, arenas = counted(MALLOC_ARENA_MAX="5")
    assert not shared
    assert arenas == 5
