"""Datasets and their further resources: lists, searches, single records, files, versions."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import re
import urllib.parse
from decimal import Decimal
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from . import _files, _json
from ._session import Session, objects
from .errors import ProtocolError
from .models import Download, Sync, Version
from .records import Change, Page, R_co, Record

if TYPE_CHECKING:
    import geopandas  # type: ignore
    import pandas  # type: ignore

__all__ = ["Dataset", "Datetime", "Records", "Resource", "check_slug"]

T = TypeVar("T")
W_contra = TypeVar("W_contra", contravariant=True)
F_contra = TypeVar("F_contra", contravariant=True)

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int], object]
Moment = Union[str, dt.date]
Datetime = Union[Moment, Tuple[Optional[Moment], Optional[Moment]]]
KeyPart = Union[str, int, float, Decimal, bool, dt.date, dt.time]
Key = Union[KeyPart, Sequence[KeyPart], Mapping[str, KeyPart]]

_PARAMETERS = frozenset(
    """filter filter-lang filter-crs bbox bbox-crs crs q datetime properties skipGeometry labels sortby
    limit offset cursor facets aggregate groupby view f""".split()
)


class Records(Iterator[R_co]):
    """All records of an answer, page after page: each once, fetched when they are needed."""

    def __init__(self, pages: Iterator[Page[R_co]]) -> None:
        self._pages = pages
        self._page: Iterator[R_co] = iter(())

    def __iter__(self) -> Records[R_co]:
        return self

    def __next__(self) -> R_co:
        while True:
            for record in self._page:
                return record
            self._page = iter(next(self._pages).records)

    def to_pandas(self) -> pandas.DataFrame:
        """The records that are left, as a pandas.DataFrame: a row each.

        Dates and times become datetime64, whole numbers with gaps Int64. Needs pandas.
        """
        from . import _frames

        return _frames.to_pandas(self)

    def to_geopandas(self) -> geopandas.GeoDataFrame:
        """The records that are left, as a geopandas.GeoDataFrame in WGS 84. Needs geopandas."""
        from . import _frames

        return _frames.to_geopandas(self)


class _Walk(Iterator[Page[R_co]]):
    """The pages of an answer. Where one fails, the next call asks for it again."""

    def __init__(
        self,
        session: Session,
        method: str,
        url: str,
        body: Optional[Dict[str, Any]],
        make: Callable[[Dict[str, Any]], R_co],
    ) -> None:
        self._session = session
        self._method = method
        self._url: Optional[str] = url  # None: there is no further page
        self._body = body
        self._make = make
        self._seen = {url}
        self._version: object = None
        self._begun = False

    def __next__(self) -> Page[R_co]:
        url = self._url
        if url is None:
            raise StopIteration
        document = self._session.json(self._method, url, self._body, repeatable=True)
        meta = document.get("meta")
        meta = meta if isinstance(meta, dict) else {}
        total, version = meta.get("total"), meta.get("version")
        if self._begun and version != self._version:
            raise ProtocolError(f"{url} is of version {version}, pages before of {self._version}")
        records = tuple(self._make(item) for item in objects(document, url))
        following = self._following(document, url)  # looked at before the page is given out
        self._begun, self._version = True, version
        if following is None:
            self._url = None
        else:
            self._seen.add(following)
            if self._body is None:
                self._url = following
            else:
                self._body = {**self._body, "cursor": _cursor(following)}
        return Page(
            records,
            total if isinstance(total, int) else None,
            version if isinstance(version, str) else None,
        )

    def _following(self, document: Mapping[str, Any], url: str) -> Optional[str]:
        links = document.get("links")
        if links is None:
            return None
        if not isinstance(links, dict):
            raise ProtocolError(f"the answer of {url} has links that are none")
        if links.get("next") is None:
            return None
        following = self._session.here(url, links["next"])
        if following in self._seen:
            raise ProtocolError(f"the pages of {url} go round in a circle")
        if self._body is not None and _cursor(following) is None:
            raise ProtocolError(f"the next page of {url} has no cursor")
        return following


class _Again(Iterator[T]):
    """Items that can be begun again behind those that were given out, where one fails."""

    def __init__(self, begin: Callable[[], Iterator[T]]) -> None:
        self._begin = begin
        self._items: Optional[Iterator[T]] = None
        self._given = 0

    def __next__(self) -> T:
        if self._items is None:
            self._items = itertools.islice(self._begin(), self._given, None)
        try:
            item = next(self._items)
        except StopIteration:
            raise
        except BaseException:
            self._items = None
            raise
        self._given += 1
        return item


class Resource(Generic[R_co, W_contra, F_contra]):
    """A table of the portal: what there is to ask of it."""

    def __init__(self, session: Session, record: Type[R_co], path: str = "") -> None:
        self._session = session
        self._record = record
        self._path = path or record._path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path!r}>"

    @property
    def slug(self) -> str:
        """The dataset's name in addresses."""
        return self._path.partition("/")[0]

    @property
    def key(self) -> Tuple[str, ...]:
        """The columns that ``get`` takes; empty where the records have no key."""
        return self._record._key

    def list(
        self,
        *,
        where: Optional[W_contra] = None,
        filter: Union[str, Mapping[str, Any], None] = None,
        q: Optional[str] = None,
        bbox: Optional[Sequence[float]] = None,
        datetime: Optional[Datetime] = None,
        sort: Union[str, Sequence[str], None] = None,
        fields: Union[str, Sequence[str], None] = None,
        page_size: Optional[int] = None,
        skip_geometry: bool = False,
        labels: bool = False,
    ) -> Records[R_co]:
        """Iterates over all records that are meant, whatever number of pages they have.

        All come from the version that was the newest at the beginning.

        :param where: equality by column; a list means one of its values
        :param filter: a condition in CQL2, as text (``"luas_ha > 10 AND tingkat = 'Berat'"``) or
            as JSON (a dict)
        :param q: words to look for in all texts
        :param bbox: west, south, east, north in degrees
        :param datetime: a day or a moment, or a pair of them of which one may be None
        :param sort: names of columns, with ``-`` before one descending
        :param fields: the columns that are wanted; all without it
        :param page_size: records a request; the portal's own without it
        :param skip_geometry: leaves geometries out
        :param labels: names beside codes: ``record["kode_kabkota_nama"]``
        """
        return Records(
            self.pages(
                where=where,
                filter=filter,
                q=q,
                bbox=bbox,
                datetime=datetime,
                sort=sort,
                fields=fields,
                page_size=page_size,
                skip_geometry=skip_geometry,
                labels=labels,
            )
        )

    def pages(
        self,
        *,
        where: Optional[W_contra] = None,
        filter: Union[str, Mapping[str, Any], None] = None,
        q: Optional[str] = None,
        bbox: Optional[Sequence[float]] = None,
        datetime: Optional[Datetime] = None,
        sort: Union[str, Sequence[str], None] = None,
        fields: Union[str, Sequence[str], None] = None,
        page_size: Optional[int] = None,
        skip_geometry: bool = False,
        labels: bool = False,
    ) -> Iterator[Page[R_co]]:
        """The same as ``list``, page by page."""
        asked = _asked(where, filter, q, bbox, datetime, sort, fields, page_size, skip_geometry, labels)
        if isinstance(where, Mapping) and any(isinstance(asked[name], list) for name in where):
            return self._walk("POST", f"v1/{self._path}/search", asked)
        if asked:
            query = urllib.parse.urlencode(
                {name: _parameter(value) for name, value in asked.items()},
                quote_via=urllib.parse.quote,
                safe="",
            )
            return self._walk("GET", f"v1/{self._path}?{query}", None)
        return self._walk("GET", f"v1/{self._path}.json", None)

    def search(
        self,
        q: Optional[str] = None,
        *,
        where: Optional[W_contra] = None,
        filter: Union[str, Mapping[str, Any], None] = None,
        bbox: Optional[Sequence[float]] = None,
        datetime: Optional[Datetime] = None,
        sort: Union[str, Sequence[str], None] = None,
        fields: Union[str, Sequence[str], None] = None,
        page_size: Optional[int] = None,
        skip_geometry: bool = False,
        labels: bool = False,
    ) -> Records[R_co]:
        """As ``list``, sent in a request's body: for filters that are longer than an address."""
        asked = _asked(where, filter, q, bbox, datetime, sort, fields, page_size, skip_geometry, labels)
        return Records(self._walk("POST", f"v1/{self._path}/search", asked))

    def get(self, id: Key) -> R_co:
        """One record by its key. NotFoundError where there is none.

        A key of several columns is a tuple of their values, or a dict.
        """
        parts = [_key_text(part) for part in _key_parts(id, self._record._key)]
        if self._record._key and len(parts) != len(self._record._key):
            names = ", ".join(self._record._key)
            raise ValueError(f"the key of {self._path} has {len(self._record._key)} parts: {names}")
        key = ",".join(urllib.parse.quote(part, safe="") for part in parts)
        if key in ("", ".", ".."):
            raise ValueError(f"{key!r} is no key")
        return self._make(self._session.one("GET", f"v1/{self._path}/id/{key}"))

    def changes(
        self, from_version: Optional[str] = None, to_version: Optional[str] = None
    ) -> Iterator[Change[R_co]]:
        """What was added, removed and changed between two versions.

        Without arguments: the newest, and the one before it. Where versions lie between the two,
        their changes come step by step, the oldest first.
        """
        steps = _files.steps(self._session, self._path, from_version, to_version)
        return _Again(
            lambda: (
                self._change(item, before, after)
                for before, after, url in steps
                for item in _files.changes(self._session, url, before, after)
            )
        )

    def download(
        self,
        format: F_contra,
        path: Path,
        *,
        version: Optional[str] = None,
        resume: bool = True,
        progress: Optional[Progress] = None,
    ) -> Download:
        """Downloads a file of all records to ``path``, whole and proved by its digest.

        What is not whole yet lies beside it as ``….part``, and is gone on with at the next call.

        :param format: ``"csv"``, ``"geojson"`` …: what the dataset offers
        :param version: the newest without it
        :param resume: False begins anew
        :param progress: called with the bytes that are there and those there will be
        """
        return _files.download(
            self._session, self._path, str(format), path, version, resume, progress
        )

    def sync(self, path: Path, format: Optional[F_contra] = None) -> Sync:
        """Makes the file at ``path`` the newest version's.

        An older version is brought forward by what has changed, where that is less to transfer.

        :param format: told by the name of ``path`` where it is missing
        """
        return _files.sync(self._session, self._path, path, None if format is None else str(format))

    # ---- inside -------------------------------------------------------------------------------

    def _walk(self, method: str, path: str, body: Optional[Dict[str, Any]]) -> Iterator[Page[R_co]]:
        return _Walk(self._session, method, self._session.url(path), body, self._make)

    def _make(self, values: Dict[str, Any]) -> R_co:
        if self._session.decimals and values.get("geometry") is not None:
            values["geometry"] = _floats(values["geometry"])
        return self._record(values)

    def _change(self, item: Dict[str, Any], before: str, after: str) -> Change[R_co]:
        record, cells = item.get("record"), item.get("cells") or {}
        column = self._record._columns.get

        def value(name: str, raw: Any) -> Any:
            found = column(name)
            return raw if found is None else found._converted(raw)

        key = item.get("key")
        return Change(
            op=item["op"],
            key=None if key is None else {name: value(name, v) for name, v in key.items()},
            record=None if record is None else self._record(record),
            cells={n: (value(n, old), value(n, new)) for n, (old, new) in cells.items()},
            geometry=item.get("geometry"),
            from_version=before,
            to_version=after,
            raw=item,
        )


class Dataset(Resource[R_co, W_contra, F_contra]):
    """A dataset: its records, its versions, its further resources."""

    def versions(self) -> List[Version]:
        """All versions that were published, the newest first."""
        return _files.versions(self._session, self.slug)

    def resource(self, name: str) -> Resource[Record, Any, Any]:
        """A further resource of the dataset, by name."""
        return Resource(self._session, Record, f"{self._path}/{check_slug(name)}")

    def timeline(
        self,
        *,
        where: Any = None,
        filter: Union[str, Mapping[str, Any], None] = None,
        q: Optional[str] = None,
        bbox: Optional[Sequence[float]] = None,
        datetime: Optional[Datetime] = None,
        sort: Union[str, Sequence[str], None] = None,
        fields: Union[str, Sequence[str], None] = None,
        page_size: Optional[int] = None,
        skip_geometry: bool = False,
        labels: bool = False,
    ) -> Records[Record]:
        """The milestones of a dataset that has them; NotFoundError where it has none."""
        return self.resource("timeline").list(
            where=where,
            filter=filter,
            q=q,
            bbox=bbox,
            datetime=datetime,
            sort=sort,
            fields=fields,
            page_size=page_size,
            skip_geometry=skip_geometry,
            labels=labels,
        )


def check_slug(name: str) -> str:
    """``name``, if it may stand in an address; else ValueError."""
    if not isinstance(name, str) or not re.fullmatch(r"(?!\.+$)[0-9A-Za-z._-]+", name):
        raise ValueError(f"{name!r} is no dataset's and no resource's name")
    return name


# ---- what is asked for ------------------------------------------------------------------------


def _asked(
    where: object,
    filter: Union[str, Mapping[str, Any], None],
    q: Optional[str],
    bbox: Optional[Sequence[float]],
    datetime: Optional[Datetime],
    sort: Union[str, Sequence[str], None],
    fields: Union[str, Sequence[str], None],
    page_size: Optional[int],
    skip_geometry: bool,
    labels: bool,
) -> Dict[str, Any]:
    """The parameters, by the names and in the types that they have in a body."""
    asked: Dict[str, Any] = {}
    if where is not None:
        if not isinstance(where, Mapping):
            raise TypeError("where must be a dict: {column: value}")
        for name, value in where.items():
            asked[name] = _wanted(name, value)
    if isinstance(filter, str):
        asked["filter"] = filter
    elif filter is not None:
        if not isinstance(filter, Mapping):
            raise TypeError("filter must be a text (CQL2) or a dict (CQL2 JSON)")
        asked.update({"filter": dict(filter), "filter-lang": "cql2-json"})
    if q is not None:
        asked["q"] = _text(q, "q")
    if bbox is not None:
        numbers = [_number(value) for value in bbox]
        if len(numbers) not in (4, 6):
            raise ValueError("bbox must have four numbers: west, south, east, north")
        asked["bbox"] = numbers
    if datetime is not None:
        asked["datetime"] = _interval(datetime)
    if sort is not None:
        asked["sortby"] = _names(sort, "sort")
    if fields is not None:
        asked["properties"] = _names(fields, "fields")
    if page_size is not None:
        if not isinstance(page_size, int) or isinstance(page_size, bool):
            raise TypeError("page_size must be a whole number")
        if page_size < 1:
            raise ValueError("page_size must be at least 1")
        asked["limit"] = page_size
    if skip_geometry:
        asked["skipGeometry"] = True
    if labels:
        asked["labels"] = True
    return asked


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text")
    return value


def _names(value: Union[str, Sequence[str]], name: str) -> List[str]:
    names = [value] if isinstance(value, str) else [_text(item, name) for item in value]
    if not names:
        raise ValueError(f"{name} names no column")
    return names


def _wanted(name: object, value: object) -> Any:
    if not isinstance(name, str):
        raise TypeError("where must have names of columns: {column: value}")
    if name in _PARAMETERS:
        raise ValueError(f"{name!r} is also a parameter's name: use filter='\"{name}\" = …'")
    if isinstance(value, (list, tuple, set, frozenset)):
        if not value:
            raise ValueError(f"where: the list of {name!r} is empty: no record would be meant")
        return [_scalar(name, item) for item in value]
    return _scalar(name, value)


def _scalar(name: str, value: object) -> Any:
    if value is None:
        raise ValueError(f"where: {name!r} is None: use filter='\"{name}\" IS NULL'")
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (float, Decimal)):
        return _number(value)
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    raise TypeError(f"where: {name!r} cannot be a {type(value).__name__}")


def _number(value: object) -> Union[int, Decimal]:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise TypeError(f"{value!r} is no number")
    if isinstance(value, int):
        return value
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    if not exact.is_finite():
        raise ValueError(f"{value!r} is no number that can be asked for")
    return int(exact) if exact == exact.to_integral_value() else exact


def _moment(value: Optional[Moment]) -> str:
    if value is None:
        return ".."
    return value if isinstance(value, str) else value.isoformat()


def _interval(value: Datetime) -> str:
    if isinstance(value, (str, dt.date)):
        return _moment(value)
    start, end = value
    return f"{_moment(start)}/{_moment(end)}"


def _parameter(value: Any) -> str:
    """A value as it stands in an address."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_parameter(item) for item in value)
    if isinstance(value, dict):
        return _json.dumps(value).decode("utf-8")
    return format(value, "f") if isinstance(value, Decimal) else str(value)


# ---- keys and links ---------------------------------------------------------------------------


def _key_parts(key: object, names: Tuple[str, ...]) -> List[object]:
    if isinstance(key, Mapping):
        if not names:
            raise ValueError("the order of the key's parts is not known here: give a tuple")
        if set(key) != set(names):
            raise ValueError(f"the key has the parts {', '.join(names)}")
        return [key[name] for name in names]
    if isinstance(key, (list, tuple)):
        return list(key)
    return [key]


def _key_text(part: object) -> str:
    if isinstance(part, bool):
        return "true" if part else "false"
    if isinstance(part, (dt.date, dt.time)):
        return part.isoformat()
    if isinstance(part, (int, float, Decimal)):
        return _parameter(_number(part))
    if not isinstance(part, str):
        raise TypeError(f"a key cannot have a {type(part).__name__}")
    if not part:
        raise ValueError("a key has no empty parts")
    return part


def _cursor(url: str) -> Optional[str]:
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    return query["cursor"][0] if "cursor" in query else None


def _floats(value: Any) -> Any:
    """A geometry's coordinates are floats, whatever the columns are."""
    if isinstance(value, list):
        return [_floats(item) for item in value]
    if isinstance(value, dict):
        return {name: _floats(item) for name, item in value.items()}
    return float(value) if isinstance(value, Decimal) else value
