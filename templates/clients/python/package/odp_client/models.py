"""What the portal tells of itself: versions, files, keys, entries of its catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Literal, Optional

from .records import Column, Record, as_datetime

__all__ = [
    "CatalogEntry",
    "Download",
    "IssuedKey",
    "Sync",
    "Usage",
    "Version",
]


@dataclass(frozen=True)
class Download:
    """A file that was downloaded."""

    path: Path
    version: str
    bytes: int
    sha256: str
    transferred: int
    """Bytes that came over the wire this time: less than ``bytes`` where a part was there."""


@dataclass(frozen=True)
class Sync:
    """What became of a file that was brought up to date."""

    path: Path
    version: str
    action: Literal["current", "patched", "downloaded"]
    """It was the newest; it was brought forward by what changed; it came whole."""
    transferred: int
    sha256: str


class Version(Record):
    """A version of a dataset."""

    __slots__ = ()

    version: Column[str] = Column()
    date: Column[str] = Column()
    """The day (or the moment) of its data."""
    state: Column[str] = Column()
    """``"published"``; or ``"thinned"``, ``"withdrawn"``: its files are not there any more."""
    digest: Column[str] = Column()
    release: Column[str] = Column()
    """The release of the API that it was published with."""
    rows: Column[int] = Column()
    previous: Column[Optional[str]] = Column()
    resources: Column[List[Dict[str, Any]]] = Column()
    """Its tables with their files, changes and deltas."""


class CatalogEntry(Record):
    """A dataset, as the catalogue has it."""

    __slots__ = ()

    slug: Column[str] = Column()
    name: Column[str] = Column()
    title: Column[Dict[str, str]] = Column()
    """``{"id": …, "en": …}``"""
    description: Column[Dict[str, str]] = Column()
    formats: Column[List[str]] = Column()
    last_update: Column[str] = Column()
    version: Column[str] = Column()
    state: Column[str] = Column()
    rows: Column[int] = Column()
    license: Column[Dict[str, Any]] = Column()
    resources: Column[List[Dict[str, Any]]] = Column()


class Usage(Record):
    """The state of an API key: what it may do, what it has done."""

    __slots__ = ()

    _secret = ("key",)

    key: Column[str] = Column()
    """Only its beginning."""
    state: Column[str] = Column()
    tier: Column[str] = Column()
    limit: Column[Optional[int]] = Column()
    """Requests a day; None: no limit."""
    used: Column[int] = Column()
    """Requests of today."""
    burst: Column[Optional[int]] = Column()
    """Requests a second."""
    concurrent: Column[Optional[int]] = Column()
    """Queries at once."""
    reset: Column[datetime] = Column(as_datetime)
    """When the day's quota opens again."""
    created: Column[Optional[datetime]] = Column(as_datetime)
    expires: Column[Optional[datetime]] = Column(as_datetime)
    days: Column[List[Dict[str, Any]]] = Column(name="usage")
    """The last 30 days: ``[{"date": "2024-03-15", "requests": 12}, …]``, the oldest first."""

    @property
    def remaining(self) -> Optional[int]:
        """Requests that are left today; None: no limit."""
        return None if self.limit is None else max(0, self.limit - self.used)


class IssuedKey(Record):
    """A new API key. It is told this once: keep it."""

    __slots__ = ()

    _secret = ("key",)

    key: Column[str] = Column()
    tier: Column[str] = Column()
    limit: Column[Optional[int]] = Column()
    used: Column[int] = Column()
    burst: Column[Optional[int]] = Column()
    concurrent: Column[Optional[int]] = Column()
    reset: Column[datetime] = Column(as_datetime)
    created: Column[Optional[datetime]] = Column(as_datetime)
    expires: Column[Optional[datetime]] = Column(as_datetime)
    email_confirmed: Column[bool] = Column()
    previous_valid_until: Column[Optional[datetime]] = Column(as_datetime)
    """Until when the key that it replaces still works."""
