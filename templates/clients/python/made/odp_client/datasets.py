"""The datasets of release {{release}}: types of their records and conditions, properties of the client.

Written by the portal's compiler out of its schemas.
"""

from __future__ import annotations

# What any type of fields needs is imported, whether this catalogue has such a field or not.
# pyright: reportUnusedImport=false
import datetime as dt
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union, cast, overload

from ._session import Session
from .records import Column, Geometry, Number, OneOrMany, Record, Scalar, as_date, as_datetime, as_time, list_of
from .resources import Dataset, Datetime, Records, Resource, check_slug
{{#datasets}}
{{#resources}}

{{#fields}}
{{#choice}}
{{{choice}}} = Literal[{{#texts}}"{{.}}"{{^-last}}, {{/-last}}{{/texts}}{{#numbers}}{{{.}}}{{^-last}}, {{/-last}}{{/numbers}}]
{{/choice}}
{{/fields}}
{{{format_type}}} = {{#has_formats}}Literal[{{#formats}}"{{.}}"{{^-last}}, {{/-last}}{{/formats}}]{{/has_formats}}{{^has_formats}}str{{/has_formats}}


class {{{type}}}(Record, path="{{path}}"{{#keyed}}, key=({{#keys}}"{{name}}", {{/keys}}){{/keyed}}):
    """{{head}}{{#about}}

    {{.}}{{/about}}
    """

    __slots__ = ()

{{#fields}}
    {{{attribute}}}: Column[{{#optional}}Optional[{{/optional}}{{{type}}}{{#optional}}]{{/optional}}] = Column({{#convert}}{{{convert}}}{{#renamed}}, {{/renamed}}{{/convert}}{{#renamed}}name="{{name}}"{{/renamed}})
    """{{head}}{{#about}}

    {{.}}{{/about}}{{#deprecated}}

    Deprecated: it will go.{{/deprecated}}
    """
{{/fields}}
{{#geometry}}
    {{{geometry}}}: Column[Optional[Geometry]] = Column({{#geometry_renamed}}name="geometry"{{/geometry_renamed}})
    """Where it is, as GeoJSON in degrees (WGS 84)."""
{{/geometry}}


# Conditions on records of "{{path}}": equality by column.
{{{where}}} = TypedDict(
    "{{{where}}}",
    {
{{#conditions}}
        "{{name}}": OneOrMany[{{{type}}}],
{{/conditions}}
    },
    total=False,
)
{{/resources}}
{{#class}}


class {{{class}}}(Dataset[{{> typed}}]):
    """{{head}}

    With further resources.
    """
{{#further}}
{{#is_timeline}}

    def timeline(
        self,
        *,
        where: Optional[{{{where}}}] = None,
        filter: Union[str, Mapping[str, Any], None] = None,
        q: Optional[str] = None,
        bbox: Optional[Sequence[float]] = None,
        datetime: Optional[Datetime] = None,
        sort: Union[str, Sequence[str], None] = None,
        fields: Union[str, Sequence[str], None] = None,
        page_size: Optional[int] = None,
        skip_geometry: bool = False,
        labels: bool = False,
    ) -> Records[{{{type}}}]:
        """{{head}}

        As ``list``, of the milestones.
        """
        return self.resource("{{name}}").list(
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
{{/is_timeline}}
{{/further}}
{{#further}}

    @overload
    def resource(self, name: Literal["{{name}}"]) -> Resource[{{{type}}}, {{{where}}}, {{{format_type}}}]: ...
{{/further}}

    @overload
    def resource(self, name: str) -> Resource[Record, Any, Any]: ...

    def resource(self, name: str) -> Resource[Any, Any, Any]:
        """A further resource of the dataset, by name."""
{{#further}}
        if name == "{{name}}":
            return Resource(self._session, {{{type}}})
{{/further}}
        return super().resource(name)
{{/class}}
{{/datasets}}


class Datasets:
    """A property for each dataset of the portal."""

    def __init__(self, session: Session) -> None:
        self._session = session
{{#datasets}}

    @property
    def {{{property}}}(self) -> {{#class}}{{{class}}}{{/class}}{{^class}}Dataset[{{> typed}}]{{/class}}:
        """{{head}}"""
        return {{#class}}{{{class}}}{{/class}}{{^class}}Dataset{{/class}}(self._session, {{#first}}{{{type}}}{{/first}})
{{/datasets}}
{{#datasets}}

    @overload
    def dataset(self, slug: Literal["{{slug}}"]) -> {{#class}}{{{class}}}{{/class}}{{^class}}Dataset[{{> typed}}]{{/class}}: ...
{{/datasets}}

    @overload
    def dataset(self, slug: str) -> Dataset[Record, Any, Any]: ...

    def dataset(self, slug: str) -> Dataset[Any, Any, Any]:
        """A dataset by its slug, also one that is newer than this package."""
        if slug in _PROPERTIES:
            return cast(Dataset[Any, Any, Any], getattr(self, _PROPERTIES[slug]))
        return Dataset(self._session, Record, check_slug(slug))


_PROPERTIES = {
{{#datasets}}
    "{{slug}}": "{{{property}}}",
{{/datasets}}
}
