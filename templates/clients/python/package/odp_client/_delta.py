"""Applies odp-delta-1: makes the new file out of the old one and what has changed."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from typing import Any, BinaryIO, Dict, NamedTuple, Optional

from ._json import unique
from .errors import IntegrityError

_CHUNK = 1 << 16
_LARGEST = 2**53 - 1
_HEADER = 4096
_LINE = 35
_NUMBER = rb"(0|[1-9][0-9]*)"
_COPY = re.compile(rb"C " + _NUMBER + rb" " + _NUMBER)
_INSERT = re.compile(rb"I " + _NUMBER)
_DIGEST = re.compile(r"[0-9a-f]{64}")


class File(NamedTuple):
    """What is known of a file."""

    bytes: int
    sha256: str


class _Unpacked:
    """The bytes of one gzip stream, with nothing behind it."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._unpack = zlib.decompressobj(wbits=31)
        self._input = b""
        self._ready = b""

    def _fill(self) -> bool:
        while not self._ready and not self._unpack.eof:
            if not self._input:
                self._input = self._packed.read(_CHUNK)
                if not self._input:
                    raise _bad("its gzip stream ends early")
            try:
                self._ready = self._unpack.decompress(self._input, _CHUNK)
            except zlib.error as error:
                raise _bad(f"it is no gzip stream: {error}") from error
            self._input = self._unpack.unconsumed_tail
        return bool(self._ready)

    def take(self, most: int) -> bytes:
        """Up to ``most`` bytes, at least one."""
        if not self._fill():
            raise _bad("it ends early")
        taken, self._ready = self._ready[:most], self._ready[most:]
        return taken

    def line(self, most: int) -> bytes:
        """The next line, without the line feed that must end it within ``most`` bytes."""
        line = b""
        while len(line) <= most:
            if not self._fill():
                raise _bad("it ends within a line")
            end = self._ready.find(b"\n")
            if end >= 0:
                line += self._ready[:end]
                self._ready = self._ready[end + 1 :]
                break
            line += self._ready
            self._ready = b""
        if len(line) >= most:
            raise _bad("a line is too long")
        return line

    def end(self) -> None:
        if self._fill():
            raise _bad("something follows its end")
        if self._unpack.unused_data or self._packed.read(1):
            raise _bad("something follows its gzip stream")


def _bad(why: str) -> IntegrityError:
    return IntegrityError(f"the delta cannot be used: {why}")


def _file(header: Dict[str, Any], name: str) -> File:
    told = header.get(name)
    if not isinstance(told, dict):
        raise _bad(f"its header has no {name!r}")
    size, digest = told.get("bytes"), told.get("sha256")
    if type(size) is not int or not 0 <= size <= _LARGEST:
        raise _bad(f"the size of {name!r} is none")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise _bad(f"the digest of {name!r} is none")
    if "version" in told and not isinstance(told["version"], str):
        raise _bad(f"the version of {name!r} is none")
    return File(size, digest)


def _header(line: bytes) -> Dict[str, Any]:
    try:
        header = json.loads(line.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise _bad(f"its header is not JSON: {error}") from error
    if not isinstance(header, dict) or header.get("format") != "odp-delta-1":
        raise _bad("its format is not odp-delta-1")
    return header


def _number(text: bytes) -> int:
    value = int(text)
    if value > _LARGEST:
        raise _bad("a number is too large")
    return value


def digest(file: BinaryIO) -> File:
    """Size and digest of what is left of ``file``."""
    sha256, size = hashlib.sha256(), 0
    while True:
        piece = file.read(1 << 20)
        if not piece:
            return File(size, sha256.hexdigest())
        sha256.update(piece)
        size += len(piece)


def apply(old: BinaryIO, delta: BinaryIO, new: BinaryIO, expected: Optional[File] = None) -> File:
    """Writes to ``new`` what ``delta`` makes of ``old``, and proves it.

    ``expected`` is what the new file must be, where that is known. IntegrityError where the delta
    is damaged or made for another file; what stands in ``new`` then is of no use.
    """
    unpacked = _Unpacked(delta)
    header = _header(unpacked.line(_HEADER))
    before, after = _file(header, "from"), _file(header, "to")
    if expected is not None and after != expected:
        raise _bad("it makes another file than the one expected")
    old.seek(0)
    if digest(old) != before:
        raise _bad("it was made for another file")

    sha256, written = hashlib.sha256(), 0

    def append(piece: bytes) -> None:
        sha256.update(piece)
        new.write(piece)

    while True:
        line = unpacked.line(_LINE)
        if line == b"E":
            break
        copy, insert = _COPY.fullmatch(line), _INSERT.fullmatch(line)
        if copy is not None:
            offset, length = _number(copy[1]), _number(copy[2])
        elif insert is not None:
            offset, length = 0, _number(insert[1])
        else:
            raise _bad(f"an operation is none: {line!r}")
        if length < 1 or length > after.bytes - written:
            raise _bad("an operation makes the file too large")
        if copy is not None and (offset > before.bytes or length > before.bytes - offset):
            raise _bad("an operation copies what is not there")
        written += length
        if copy is not None:
            old.seek(offset)
        while length > 0:
            piece = old.read(min(length, _CHUNK)) if copy is not None else unpacked.take(length)
            if not piece:
                raise _bad("the old file became shorter")
            append(piece)
            length -= len(piece)
    unpacked.end()
    found = File(written, sha256.hexdigest())
    if found != after:
        raise IntegrityError(
            "the delta did not make the file that it promised",
            expected=after.sha256,
            found=found.sha256,
        )
    return found
