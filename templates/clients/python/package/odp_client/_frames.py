"""Records as data frames. pandas and geopandas are only imported when they are asked for."""

from __future__ import annotations

import importlib
from typing import Any, Dict, Iterable, List, Optional, Tuple, Type

from .records import Record, as_date, as_datetime


def _needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{name} is needed for this and is not installed: pip install {name}"
        ) from error


def _columns(records: Iterable[Record]) -> Tuple[Optional[Type[Record]], Dict[str, List[Any]]]:
    """The values by column; what a record does not have is None."""
    kind: Optional[Type[Record]] = None
    columns: Dict[str, List[Any]] = {}
    for number, record in enumerate(records):
        kind = kind or type(record)
        for name in record:
            if name not in columns:
                columns[name] = [None] * number
            columns[name].append(record._values[name])
        for values in columns.values():
            if len(values) <= number:
                values.append(None)
    return kind, columns


def _series(pandas: Any, kind: Optional[Type[Record]], name: str, values: List[Any]) -> Any:
    column = None if kind is None else kind._columns.get(name)
    convert = None if column is None else column._convert
    if convert is as_date or convert is as_datetime:
        zone = convert is as_datetime
        try:  # beyond what nanoseconds of 64 bits can tell, Python's own dates stay
            return pandas.to_datetime(pandas.Series(values, dtype=object), utc=zone)
        except (ValueError, OverflowError):
            pass
    if column is not None and convert is not None:
        values = [column._converted(value) for value in values]
        return pandas.Series(values, dtype=object)
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, bool) for value in there):
        return pandas.Series(values, dtype="bool" if len(there) == len(values) else "boolean")
    if there and all(type(value) is int and -(2**63) <= value < 2**63 for value in there):
        return pandas.Series(values, dtype="int64" if len(there) == len(values) else "Int64")
    if there and all(isinstance(value, float) or type(value) is int for value in there):
        if all(abs(value) <= 2**53 for value in there):
            return pandas.Series(values, dtype="float64")
    return pandas.Series(values, dtype=object)


def to_pandas(records: Iterable[Record]) -> Any:
    pandas = _needed("pandas")
    kind, columns = _columns(records)
    if kind is None:
        return pandas.DataFrame()
    return pandas.DataFrame({n: _series(pandas, kind, n, v) for n, v in columns.items()})


def to_geopandas(records: Iterable[Record]) -> Any:
    geopandas = _needed("geopandas")
    shape = _needed("shapely.geometry").shape
    frame = to_pandas(records)
    if "geometry" not in frame.columns and len(frame.columns) > 0:
        raise ValueError("these records have no geometry")
    shapes = [None if value is None else shape(value) for value in frame.get("geometry", [])]
    return geopandas.GeoDataFrame(
        frame.drop(columns="geometry", errors="ignore"), geometry=shapes, crs="OGC:CRS84"
    )
