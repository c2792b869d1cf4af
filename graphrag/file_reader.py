"""Files as the settings say that they are read: up to what size, and whether in a process of their own."""

from __future__ import annotations

from pathlib import Path

from extractors.loaders import load_file, loader_for
from extractors.loaders.worker import LoadWorker
from extractors.ports import LoadedFile, LoadOptions
from graphrag.settings import Settings
from storage.errors import LoadError
from storage.identity import file_digest


class FileReader:
    """Reads files; close it to end the process that it may have started."""

    def __init__(self, settings: Settings) -> None:
        self._most_mb = settings.loader_file_mb
        self._worker = LoadWorker(settings.load_limits) if settings.loader_process else None

    def digest(self, location: Path) -> str:
        """SHA-256 of a file, whatever its size. Raises LoadError when it cannot be read."""
        try:
            return file_digest(location)
        except OSError as error:
            raise _unreadable(error) from error

    def read(self, location: Path) -> bytes:
        """The bytes of a file. Raises LoadError when it cannot be read, or is larger than it may be."""
        try:
            size = location.stat().st_size / 1_000_000
            if size > self._most_mb:
                raise LoadError(
                    f"is too large ({size:,.0f} MB; one file may have {self._most_mb:,g} MB). "
                    "Split it, or raise loader_file_mb."
                )
            return location.read_bytes()
        except OSError as error:
            raise _unreadable(error) from error

    def load(self, location: Path, data: bytes, options: LoadOptions) -> LoadedFile:
        """What is in a file with these bytes. Raises LoadError saying what is wrong with it and what to do."""
        load = self._worker.load if self._worker else load_file
        return load(location, data, options)

    def loader_name(self, location: Path, data: bytes, options: LoadOptions) -> str:
        """Name and version of the loader for a file with these bytes. Raises LoadError if there is none."""
        if self._worker:
            return self._worker.loader_name(location, data, options)
        return loader_for(location, data, options.format).name

    def close(self) -> None:
        """End the process, also while it reads."""
        if self._worker:
            self._worker.close()


def _unreadable(error: OSError) -> LoadError:
    return LoadError(f"cannot be read: {(error.strerror or str(error)).lower()}. Check its permissions.")


__all__ = ["FileReader"]
