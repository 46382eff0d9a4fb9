"""Webhooks: subscriptions, and the proof that a message is the portal's."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
import urllib.parse
from datetime import datetime
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, cast

from ._session import Session, objects
from .errors import SignatureError
from .records import Column, Record, as_datetime

__all__ = ["Webhook", "Webhooks", "verify"]

_TOLERANCE = 300.0  # seconds


class Webhook(Record):
    """A subscription."""

    __slots__ = ()

    _secret = ("secret",)

    id: Column[str] = Column()
    url: Column[Optional[str]] = Column()
    events: Column[List[str]] = Column()
    datasets: Column[List[str]] = Column()
    """Slugs; empty: all."""
    filter: Column[Any] = Column()
    description: Column[str] = Column()
    state: Column[str] = Column()
    """``"unverified"``, ``"active"``, ``"paused"`` or ``"disabled"``."""
    reason: Column[Optional[str]] = Column()
    """Why it is not active."""
    created: Column[datetime] = Column(as_datetime)
    changed: Column[datetime] = Column(as_datetime)
    verified: Column[Optional[datetime]] = Column(as_datetime)
    failing_since: Column[Optional[datetime]] = Column(as_datetime)
    waits_until: Column[Optional[datetime]] = Column(as_datetime)
    previous_secret_valid_until: Column[Optional[datetime]] = Column(as_datetime)
    deliveries: Column[Dict[str, Any]] = Column()
    secret: Column[str] = Column()
    """Only of ``create`` and ``rotate_secret``: it is told once. Keep it for ``verify``."""


class Webhooks:
    """The subscriptions of the account that the client's key belongs to."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def create(
        self,
        url: str,
        events: Sequence[str],
        *,
        datasets: Optional[Sequence[str]] = None,
        filter: Union[str, Mapping[str, Any], None] = None,
        description: Optional[str] = None,
    ) -> Webhook:
        """Subscribes ``url`` to ``events`` (``["dataset.version.published"]``).

        The result has the ``secret`` that messages are signed with: it is told this once. The
        address gets a challenge, and is active when it has answered (or after ``confirm``).
        """
        body: Dict[str, Any] = {"url": url, "events": _texts(events, "events")}
        if datasets is not None:
            body["datasets"] = _texts(datasets, "datasets")
        if filter is not None:
            body["filter"] = filter if isinstance(filter, str) else dict(filter)
        if description is not None:
            body["description"] = description
        return self._one("POST", "", body)

    def list(self) -> List[Webhook]:
        """All subscriptions."""
        url = self._session.url("v1/webhooks")
        return [Webhook(item) for item in objects(self._session.json("GET", url), url)]

    def get(self, id: str) -> Webhook:
        """One subscription."""
        return self._one("GET", _path(id))

    def delete(self, id: str) -> Record:
        """Ends a subscription: its ``id``, and ``state``: ``"deleted"``."""
        return Record(self._session.one("DELETE", f"v1/webhooks{_path(id)}"))

    def confirm(self, id: str, challenge: str) -> Webhook:
        """Makes a subscription active by the challenge that its address got."""
        return self._one("POST", f"{_path(id)}/confirm", {"challenge": challenge})

    def test(self, id: str) -> Record:
        """Has a test message sent (to one that is not active yet: the challenge)."""
        return Record(self._session.one("POST", f"v1/webhooks{_path(id)}/test"))

    def rotate_secret(self, id: str, *, grace_hours: Optional[int] = None) -> Webhook:
        """A new secret. For ``grace_hours`` messages are signed with both."""
        body = None if grace_hours is None else {"grace_hours": grace_hours}
        return self._one("POST", f"{_path(id)}/rotate-secret", body)

    def _one(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Webhook:
        return Webhook(self._session.one(method, f"v1/webhooks{path}", body))


def _texts(value: Sequence[str], name: str) -> List[str]:
    if isinstance(value, str):
        raise TypeError(f"{name} must be a list of texts")
    return list(value)


def _path(id: str) -> str:
    if not isinstance(id, str) or id in ("", ".", ".."):
        raise ValueError(f"{id!r} is no subscription's id")
    return "/" + urllib.parse.quote(id, safe="")


def verify(
    payload: Union[bytes, bytearray, memoryview, str],
    headers: Union[Mapping[str, Any], Iterable[Tuple[str, Any]]],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = _TOLERANCE,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """The message, if it comes from the portal and is of now; else SignatureError.

    :param payload: the request's body, as the bytes that came
    :param headers: the request's headers, in any case; also a WSGI environ or ``request.META``
    :param secret: ``whsec_…``, or several of them while one is replaced
    :param tolerance: seconds that the message's time may be off
    :param now: the time to compare with, in seconds of Unix; the clock's without it
    """
    if not isinstance(payload, (bytes, bytearray, memoryview, str)):
        raise TypeError(
            f"payload must be the request's body as it came, not a {type(payload).__name__}: "
            "parsed and written again it is another text"
        )
    body = payload.encode("utf-8") if isinstance(payload, str) else bytes(payload)
    keys = [_key(text) for text in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("no secret was given")
    id, timestamp, signatures = _headers(headers)
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise SignatureError("webhook-timestamp is no time")
    if not abs((time.time() if now is None else now) - int(timestamp)) <= tolerance:
        raise SignatureError("the message is not of now: webhook-timestamp is too far off")
    signed = f"{id}.{timestamp}.".encode("utf-8", "replace") + body
    given = [s.encode("utf-8", "replace") for s in signatures.split(" ")]
    valid = False
    for key in keys:
        code = hmac.new(key, signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(code)
        for signature in given:
            valid |= hmac.compare_digest(expected, signature)
    if not valid:
        raise SignatureError("the signature is not the portal's")
    try:
        message = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SignatureError("the message is signed, but is not JSON") from error
    if not isinstance(message, dict):
        raise SignatureError("the message is signed, but is no object")
    return message


def _key(secret: object) -> bytes:
    if not isinstance(secret, str):
        raise TypeError("secret must be a text: whsec_…")
    text = secret.strip()
    text = text[6:] if text.startswith("whsec_") else text
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("this is not the secret of a webhook: whsec_ and base64 are expected")
    return key


def _headers(headers: Union[Mapping[str, Any], Iterable[Tuple[str, Any]]]) -> Tuple[str, str, str]:
    found: Dict[str, str] = {}
    listed = getattr(headers, "items", None)  # also of what is no Mapping: email.message.Message
    items: Iterable[Tuple[Any, Any]] = cast(Any, headers) if listed is None else listed()
    for name, value in items:
        name = name.decode("latin-1") if isinstance(name, bytes) else str(name)
        name = name.lower().replace("_", "-")
        name = name[5:] if name.startswith("http-") else name
        if not name.startswith("webhook-"):
            continue
        if isinstance(value, (list, tuple)):
            value = value[0] if len(value) == 1 else None
        value = value.decode("latin-1") if isinstance(value, bytes) else value
        if not isinstance(value, str) or name in found:
            raise SignatureError(f"the header {name} is there more than once")
        found[name] = value.strip()
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    for name in names:
        if not found.get(name):
            raise SignatureError(f"the header {name} is missing")
    id, timestamp, signature = (found[name] for name in names)
    return id, timestamp, signature
