"""Records: what the portal sends, as objects with typed attributes that do not change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    ClassVar,
    Dict,
    Generic,
    Iterator,
    List,
    Literal,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
)

from .errors import ProtocolError

__all__ = [
    "Change",
    "Column",
    "Geometry",
    "Number",
    "OneOrMany",
    "Page",
    "Record",
    "Scalar",
    "as_date",
    "as_datetime",
    "as_time",
    "list_of",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R_co = TypeVar("R_co", bound="Record", covariant=True)

Geometry = Dict[str, Any]
"""A GeoJSON geometry: ``{"type": "Point", "coordinates": [106.8, -6.2]}``."""
Number = Union[int, float, Decimal]
Scalar = Union[str, bool, int, float, Decimal, date, time]
OneOrMany = Union[T, Sequence[T]]
"""In ``where``: a value, or several of which one is meant."""

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_TIME = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?", re.I)


def _clock(text: str) -> time:
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no time")
    hour, minute, second, fraction, offset = match.groups()
    fraction = (fraction or "").rstrip("0")
    if len(fraction) > 6:
        raise ValueError(f"{text!r} has more digits than microseconds")
    zone = None
    if offset in ("Z", "z"):
        zone = timezone.utc
    elif offset is not None:
        shift = timedelta(hours=int(offset[1:3]), minutes=int(offset[4:6]))
        zone = timezone(-shift if offset[0] == "-" else shift)
    return time(int(hour), int(minute), int(second or 0), int(fraction.ljust(6, "0")), zone)


def as_date(value: Any) -> date:
    """``"2024-03-15"`` as a date."""
    match = _DATE.fullmatch(value)
    if match is None:
        raise ValueError(f"{value!r} is no date")
    return date(int(match[1]), int(match[2]), int(match[3]))


def as_time(value: Any) -> time:
    """``"08:30:00"`` as a time."""
    return _clock(value)


def as_datetime(value: Any) -> datetime:
    """``"2024-03-15T08:30:00+07:00"`` as a datetime, with its zone where it has one."""
    day, separator, clock = value[:10], value[10:11], value[11:]
    if separator not in ("T", "t", " "):
        raise ValueError(f"{value!r} is no date and time")
    return datetime.combine(as_date(day), _clock(clock))


def list_of(convert: Callable[[Any], T]) -> Callable[[Any], List[T]]:
    """A converter of lists."""

    def convert_all(value: Any) -> List[T]:
        return [convert(item) for item in value]

    return convert_all


class Column(Generic[T_co]):
    """A column of a record class: ``luas_ha: Column[float] = Column()``.

    ``name`` is what the column is called in the data, where that can be no attribute; ``convert``
    makes the value that Python has for it.
    """

    def __init__(
        self, convert: Optional[Callable[[Any], object]] = None, *, name: str = ""
    ) -> None:
        self.name: str = name
        self._convert = convert

    def __set_name__(self, owner: Type[Record], attribute: str) -> None:
        self.name = self.name or attribute

    def __repr__(self) -> str:
        return f"<column {self.name!r}>"

    @overload
    def __get__(self, record: None, owner: Type[Any]) -> Column[T_co]: ...

    @overload
    def __get__(self, record: Record, owner: Type[Any]) -> T_co: ...

    def __get__(self, record: Optional[Record], owner: Type[Any]) -> Any:
        if record is None:
            return self
        try:
            value = record._values[self.name]
        except KeyError:
            raise AttributeError(record._missing(self.name)) from None
        return value if self._convert is None else self._converted(value)

    def __set__(self, record: Record, value: NoReturn) -> None:
        raise AttributeError(f"records do not change: {self.name!r} cannot be set")

    def _converted(self, value: Any) -> Any:
        if value is None or self._convert is None:
            return value
        try:
            return self._convert(value)
        except (ValueError, TypeError) as error:
            message = f"{self.name!r} cannot be read: {error}; see to_dict(raw=True)"
            raise ProtocolError(message) from error


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((name, _frozen(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return value


class Record:
    """One record. It does not change, can be compared, hashed and pickled.

    ``record.luas_ha`` and ``record["luas_ha"]`` are the same; the second takes any name, also that
    of a column that is newer than this package. Reading a column that was not asked for raises
    AttributeError (KeyError).
    """

    __slots__ = ("_values", "__weakref__")

    _values: Dict[str, Any]
    _columns: ClassVar[Dict[str, Column[Any]]] = {}
    _path: ClassVar[str] = ""
    _key: ClassVar[Tuple[str, ...]] = ()
    _secret: ClassVar[Tuple[str, ...]] = ()

    def __init_subclass__(cls, path: str = "", key: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {column.name: column for column in vars(cls).values() if isinstance(column, Column)}
        cls._columns = {**cls._columns, **own}
        cls._path = path or cls._path
        cls._key = tuple(key) or cls._key

    def __init__(self, values: Mapping[str, Any]) -> None:
        """``values`` as they stand in the portal's JSON."""
        object.__setattr__(self, "_values", dict(values))

    def _missing(self, name: str) -> str:
        there = ", ".join(self._values) or "none"
        if name in self._columns and self._path:
            return f"{name!r} was not asked for; this {type(self).__name__} has: {there}"
        return f"{type(self).__name__} has no {name!r}; it has: {there}"

    def __getitem__(self, name: str) -> Any:
        column = self._columns.get(name)
        try:
            value = self._values[name]
        except KeyError:
            raise KeyError(self._missing(name)) from None
        return value if column is None else column._converted(value)

    if not TYPE_CHECKING:  # for type checkers a class has the columns that it has

        def __getattr__(self, name):
            if name[:1] == "_":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            column = getattr(type(self), name, None)
            if not isinstance(column, Column) and name in self._values:
                return self._values[name]
            raise AttributeError(self._missing(getattr(column, "name", name)))

    def get(self, name: str, default: Any = None) -> Any:
        """The value of ``name``, or ``default`` where it was not asked for."""
        return self[name] if name in self._values else default

    def keys(self) -> List[str]:
        """The names of the columns that this record has, in the order of the schema."""
        return list(self._values)

    def to_dict(self, *, raw: bool = False) -> Dict[str, Any]:
        """A new dict of all values; with ``raw`` as they stand in JSON (dates as text)."""
        return dict(self._values) if raw else {name: self[name] for name in self._values}

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"records do not change: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"records do not change: {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return type(self) is type(other) and self._values == other._values

    def __hash__(self) -> int:
        key = [self._values.get(name) for name in self._key]
        return hash((type(self), _frozen(key if key else self._values)))

    def __repr__(self) -> str:
        shown = []
        for name in self._values:
            value = self._values[name]
            if name in self._secret:
                text = "<hidden>"
            elif isinstance(value, dict) and isinstance(value.get("coordinates"), list):
                text = f"<{value.get('type')}>"
            else:
                text = repr(self[name])
            shown.append(f"{name}={text}" if name.isidentifier() else f"{name!r}: {text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._values,)

    def __copy__(self) -> Record:
        return self

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(n for n in self._values if n.isidentifier())})


@dataclass(frozen=True)
class Page(Generic[R_co]):
    """A page of records."""

    records: Tuple[R_co, ...]
    total: Optional[int]
    """How many records there are on all pages; None where counting took too long."""
    version: Optional[str]
    """The version of the dataset that all pages are of."""

    def __iter__(self) -> Iterator[R_co]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True)
class Change(Generic[R_co]):
    """A record that was added, removed or changed between two versions."""

    op: Literal["added", "removed", "changed"]
    key: Optional[Dict[str, Any]]
    """The fields of its key; None where the dataset has none."""
    record: Optional[R_co]
    """What was added or removed (without its geometry)."""
    cells: Dict[str, Tuple[Any, Any]]
    """Of a changed record: {column: (before, after)}."""
    geometry: Optional[Dict[str, Optional[str]]]
    """What became of the geometry, in words: ``{"before": …, "after": …}``; None: nothing."""
    from_version: str
    to_version: str
    raw: Dict[str, Any]
    """The change as it stands in the portal's file."""
