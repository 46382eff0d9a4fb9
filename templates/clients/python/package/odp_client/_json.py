"""JSON as the portal sends it: with bounds, exact integers, and no digit lost in silence."""

from __future__ import annotations

import codecs
import json
import re
import warnings
from decimal import Decimal
from typing import Any, Callable, Iterable, Iterator, List, Tuple

from .errors import ProtocolError

MAX_DEPTH = 100
_OTHERS = bytes(b for b in range(256) if b not in b"[]{}")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.S)
_SPACE = re.compile(r"[ \t\r\n]*")


class PrecisionWarning(UserWarning):
    """A number has more digits than a float can hold: ``Client(decimals=True)`` keeps them."""


def _float(text: str) -> float:
    value = float(text)
    # Fifteen digits always survive. Beyond that the float must still be the same number.
    if len(text) > 16 and Decimal(repr(value)) != Decimal(text):
        warnings.warn(
            f"{text} has more digits than a float; use Client(decimals=True)",
            PrecisionWarning,
            stacklevel=2,
        )
    return value


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _decoder(parse: Callable[[str], Any]) -> json.JSONDecoder:
    return json.JSONDecoder(parse_float=parse, parse_constant=_constant)


_DECODERS = {False: _decoder(_float), True: _decoder(Decimal)}
_FAST = _decoder(float)  # where no number is so long that digits could be lost
_DIGITS = bytes(ord("0") if b in b"0123456789." else ord(" ") for b in range(256))
_LONG = b"0" * 16


def _too_deep(data: bytes) -> bool:
    def deeper(brackets: bytes) -> bool:
        for _ in range(MAX_DEPTH):  # each round takes the innermost pairs away
            outer = brackets.replace(b"[]", b"").replace(b"{}", b"")
            if outer == brackets:  # nothing left; or no pairs: that is not JSON at all
                return False
            brackets = outer
        return bool(brackets)

    # Nearly always enough. Brackets in texts may be unbalanced: then texts are taken out first.
    return deeper(data.translate(None, _OTHERS)) and deeper(
        _STRING.sub(b"", data).translate(None, _OTHERS)
    )


def unfinished(data: bytes) -> bool:
    """Whether ``data`` ends before the JSON in it does."""
    brackets = _STRING.sub(b"", data)
    opened = brackets.count(b"[") + brackets.count(b"{")
    return not data.strip() or opened > brackets.count(b"]") + brackets.count(b"}")


def loads(data: bytes, decimals: bool = False) -> Any:
    """What ``data`` says. ProtocolError where it is not JSON."""
    if _too_deep(data):
        raise ProtocolError(f"the answer is nested deeper than {MAX_DEPTH} levels")
    try:
        exact = decimals or _LONG in data.translate(_DIGITS)
        decoder = _DECODERS[decimals] if exact else _FAST
        return decoder.decode(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"the answer is not JSON: {error}") from error


def dumps(value: Any) -> bytes:
    """``value`` as a request's body. Decimals are written with all their digits."""
    try:
        return _encode(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a text has characters that are not Unicode") from error


def _encode(value: Any) -> str:
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a number in JSON")
        return format(value, "f")
    if isinstance(value, dict):
        return "{" + ",".join(f"{_encode(str(k))}:{_encode(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_encode(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class Reader:
    """Reads one large JSON object piece by piece: its members, and elements of its arrays."""

    def __init__(self, chunks: Iterable[bytes], limit: int, decimals: bool = False) -> None:
        self._chunks = iter(chunks)
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._decoder = _DECODERS[decimals]
        self._limit = limit
        self._text = ""
        self._at = 0
        self._ended = False
        self.streamed: bool = False  # the array that is read element by element was there

    def _more(self) -> bool:
        if self._ended:
            return False
        if len(self._text) - self._at > self._limit:
            raise ProtocolError(f"a value of the answer is larger than {self._limit} bytes")
        chunk = next(self._chunks, b"")
        self._ended = not chunk
        try:
            more = self._utf8.decode(chunk, self._ended)
        except UnicodeDecodeError as error:
            raise ProtocolError(f"the answer is not UTF-8: {error}") from error
        self._text = self._text[self._at :] + more
        self._at = 0
        return True

    def _peek(self) -> str:
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                raise ProtocolError("the answer ends in the middle")

    def _expect(self, allowed: str) -> str:
        found = self._peek()
        if found not in allowed:
            raise ProtocolError(f"the answer is not JSON: {found!r} where {allowed!r} may stand")
        self._at += 1
        return found

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
                # A number at the end of what is here may go on in what comes.
                whole = end < len(self._text) and self._text[end] not in ".eE"
                if whole or not self._more():
                    self._at = end
                    return value
            except RecursionError as error:
                raise ProtocolError("the answer is nested too deeply") from error
            except ValueError as error:
                if not self._grow():
                    raise ProtocolError(f"the answer is not JSON: {error}") from error

    def _grow(self) -> bool:
        """Twice as much text, so that a large value is not begun again for each chunk."""
        wanted = 2 * (len(self._text) - self._at)
        grown = False
        while self._more():
            grown = True
            if len(self._text) >= wanted:
                break
        return grown

    def members(self, stream: str) -> Iterator[Tuple[str, Any]]:
        """(name, value) of each member; of the one called ``stream``, one pair an element."""
        self._expect("{")
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            name = self._value()
            if not isinstance(name, str):
                raise ProtocolError("the answer is not JSON: a name is expected")
            self._expect(":")
            if name == stream and self._peek() == "[":
                self._at += 1
                self.streamed = True
                if self._peek() == "]":
                    self._at += 1
                else:
                    while True:
                        yield name, self._value()
                        if self._expect(",]") == "]":
                            break
            else:
                yield name, self._value()
            if self._expect(",}") == "}":
                return


def unique(pairs: List[Tuple[str, Any]]) -> Any:
    """For object_pairs_hook: no name may stand twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member stands twice")
    return found
