"""The client: where everything begins."""

from __future__ import annotations

import os
import ssl
import time
from types import TracebackType
from typing import Any, Callable, Dict, List, Literal, Optional, Type

from . import _about
from ._session import Session, objects
from .datasets import Datasets
from .errors import ProtocolError
from .models import CatalogEntry, IssuedKey, Usage
from .webhooks import Webhooks

__all__ = ["Client"]


class Client(Datasets):
    """A client of the portal.

    It has a property for each dataset, may be shared by threads, keeps its connections open, and
    is best used with ``with``::

        with Client() as client:
            for record in client.dataset("…").list():
                print(record)

    :param api_key: without it the environment's ``ODP_KEY``
    :param base_url: the portal's address; without it the environment's ``ODP_BASE_URL``, else the
        address of the portal this package came from
    :param timeout: seconds to wait for a connection, and for each piece of an answer
    :param retries: how often a request that failed in passing is sent again
    :param max_wait: seconds that one request may wait for a quota to open
    :param language: in which the portal says what is wrong: ``"id"`` or ``"en"``; else its own
    :param decimals: numbers with a fraction become ``decimal.Decimal`` instead of ``float``
    :param ssl_context: other certificates than the system's
    :param sleep: what waits; for tests
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        *,
        base_url: Optional[str] = None,
        timeout: float = 30.0,
        retries: int = 3,
        max_wait: float = 60.0,
        language: Optional[Literal["id", "en"]] = None,
        decimals: bool = False,
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if api_key is None:
            api_key = os.environ.get("ODP_KEY", "").strip() or None
        if base_url is None:
            base_url = os.environ.get("ODP_BASE_URL", "").strip() or _about.BASE_URL
        super().__init__(
            Session(
                api_key,
                base_url,
                timeout=timeout,
                retries=retries,
                max_wait=max_wait,
                language=language,
                decimals=decimals,
                ssl_context=ssl_context,
                sleep=sleep,
            )
        )

    def __repr__(self) -> str:
        key = "with a key" if self._session.has_key else "without a key"
        return f"<{type(self).__name__} of {self._session.base_url}, {key}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> str:
        raise TypeError("a client cannot be pickled: make one in each process")

    def close(self) -> None:
        """Closes all connections."""
        self._session.close()

    def catalog(self) -> List[CatalogEntry]:
        """The datasets of the portal. Needs no key."""
        url = self._session.url("v1/index.json")
        document = self._session.json("GET", url, keyed=False)
        return [CatalogEntry(item) for item in objects(document, url)]

    def register(
        self,
        name: str,
        email: str,
        *,
        organisation: Optional[str] = None,
        purpose: Optional[str] = None,
    ) -> IssuedKey:
        """Registers, and goes on with the new key. Keep it: it is told this once.

        One key for each e-mail address: ConflictError where it has one.
        """
        body = {"name": name, "email": email, "organisation": organisation, "purpose": purpose}
        given = {name: value for name, value in body.items() if value is not None}
        return self._issued("auth/register", given)

    def rotate(self, *, grace_hours: Optional[int] = None) -> IssuedKey:
        """Replaces the key, and goes on with the new one. Keep it: it is told this once.

        The old one works for another ``grace_hours``.
        """
        return self._issued(
            "auth/rotate", None if grace_hours is None else {"grace_hours": grace_hours}
        )

    def _issued(self, path: str, body: Optional[Dict[str, Any]]) -> IssuedKey:
        issued = IssuedKey(self._session.one("POST", path, body))
        try:
            self._session.use_key(issued["key"])
        except (KeyError, TypeError, ValueError) as error:
            raise ProtocolError(f"the answer of {path} has no key") from error
        return issued

    def usage(self) -> Usage:
        """What the key may do and has done. Costs no quota."""
        return Usage(self._session.one("GET", "auth/key"))

    @property
    def webhooks(self) -> Webhooks:
        """The subscriptions to messages about new data."""
        return Webhooks(self._session)
