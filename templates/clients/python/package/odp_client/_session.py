"""Requests: with the key where it belongs, waited for and tried again as it is safe."""

from __future__ import annotations

import email.utils
import logging
import platform
import random
import re
import ssl
import time
import urllib.parse
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type

from . import _about, _json
from ._transport import Origin, Response, Transport, origin_of
from .errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    CursorExpiredError,
    GoneError,
    NotFoundError,
    PermissionDeniedError,
    ProtocolError,
    QuotaExceededError,
    ServerError,
    TransportError,
)

log = logging.getLogger("odp_client")

LIMIT = 64 * 1024 * 1024  # bytes of an answer of the API
_PROBLEM_LIMIT = 1024 * 1024
_REDIRECTS = 5
_TRANSIENT = (408, 502, 503, 504)
_USER_AGENT = f"{_about.PACKAGE}/{_about.RELEASE} python/{platform.python_version()}"
_ADDRESS = re.compile(r"[!-~]+")


class _Key:
    """An API key that shows itself nowhere."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "<hidden>"

    def __reduce__(self) -> str:
        raise TypeError("keys are not pickled")

    def bearer(self) -> str:
        return f"Bearer {self._text}"


def _retry_after(response: Response) -> Optional[float]:
    """Seconds; None where the header is missing, is none or is no time to come."""
    text = response.header("Retry-After").strip()
    if re.fullmatch(r"[0-9]+", text):
        return float(text) or None
    try:
        when = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    seconds = (when - datetime.now(timezone.utc)).total_seconds()
    return seconds if seconds > 0 else None


def _reset(seconds: Optional[float]) -> Optional[datetime]:
    if seconds is None:
        return None
    try:
        return datetime.now(timezone.utc) + timedelta(seconds=seconds)
    except OverflowError:
        return None


class Session:
    """What all parts of a client share."""

    def __init__(
        self,
        api_key: Optional[str],
        base_url: str,
        *,
        timeout: float,
        retries: int,
        max_wait: float,
        language: Optional[str],
        decimals: bool,
        ssl_context: Optional[ssl.SSLContext],
        sleep: Callable[[float], object],
    ) -> None:
        self.base_url: str = base_url if base_url.endswith("/") else base_url + "/"
        parts = urllib.parse.urlsplit(self.base_url)
        if not _ADDRESS.fullmatch(self.base_url) or parts.query or parts.fragment or parts.username:
            raise ValueError("base_url is no address of a portal (or has a password in it)")
        self.origin: Origin = origin_of(self.base_url)
        if not timeout > 0:
            raise ValueError("timeout must be positive: seconds")
        if retries < 0 or max_wait < 0:
            raise ValueError("retries and max_wait cannot be negative")
        if language not in (None, "id", "en"):
            raise ValueError(f"language must be 'id' or 'en', not {language!r}")
        self.retries: int = retries
        self.max_wait: float = max_wait
        self.decimals: bool = decimals
        self._sleep = sleep
        self._headers = {"User-Agent": _USER_AGENT}
        if language is not None:
            self._headers["Accept-Language"] = language
        self._transport = Transport(timeout, ssl_context)
        self._key: Optional[_Key] = None
        self._closed = False
        if api_key is not None:
            self.use_key(api_key)

    def use_key(self, api_key: str) -> None:
        """Goes on with ``api_key``. The text of a wrong one is in no message."""
        if not isinstance(api_key, str):
            raise TypeError("api_key must be a text")
        if "://" in api_key:
            raise ValueError("api_key is an address; that of a portal has a name: Client(base_url=...)")
        if not re.fullmatch(r"[!-~]+", api_key.strip()):
            raise ValueError("api_key is empty or has characters that no key has")
        self._key = _Key(api_key.strip())

    @property
    def has_key(self) -> bool:
        return self._key is not None

    def close(self) -> None:
        self._closed = True
        self._transport.close()

    def url(self, path: str) -> str:
        return self.base_url + path

    # ---- one request, with everything that belongs to it -------------------------------------

    def json(
        self,
        method: str,
        url: str,
        body: Optional[Mapping[str, Any]] = None,
        *,
        keyed: bool = True,
        repeatable: Optional[bool] = None,
    ) -> Dict[str, Any]:
        """The envelope that is the answer. ``repeatable``: it changes nothing (GET never does)."""
        data = self.fetch(
            method,
            url,
            None if body is None else _json.dumps(dict(body)),
            keyed=keyed,
            repeatable=method == "GET" if repeatable is None else repeatable,
        )
        document = _json.loads(data, self.decimals)
        if not isinstance(document, dict) or not isinstance(document.get("data"), list):
            raise ProtocolError(f"the answer of {method} {url} has no list of data")
        return document

    def one(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        """The only element of the answer's data."""
        data = self.json(method, self.url(path), body)["data"]
        if len(data) != 1 or not isinstance(data[0], dict):
            raise ProtocolError(f"the answer of {method} {self.url(path)} is not one object")
        return dict(data[0])

    def fetch(
        self, method: str, url: str, body: Optional[bytes], *, keyed: bool, repeatable: bool
    ) -> bytes:
        """The answer's body, whole."""
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        elif method == "POST":
            headers["Content-Length"] = "0"
        _, data = self._persist(method, url, headers, body, keyed, repeatable, whole=True)
        return data

    def open(self, url: str, headers: Mapping[str, str], accept: Tuple[int, ...] = ()) -> Response:
        """A public file's answer, whose body the caller reads. ``accept``: statuses beside 2xx."""
        response, _ = self._persist("GET", url, headers, None, False, True, False, accept)
        return response

    def _persist(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        keyed: bool,
        repeatable: bool,
        whole: bool,
        accept: Tuple[int, ...] = (),
    ) -> Tuple[Response, bytes]:
        tries = 0
        waited = 0.0
        while True:
            try:
                response = self._send(method, url, headers, body, keyed, repeatable)
                status = response.status
                if 200 <= status < 300 or status in accept:
                    return response, _whole(response) if whole else b""
                if status < 400:
                    response.close()
                    raise ProtocolError(f"{method} {url}: {status} was not asked for")
                problem = _problem(response)
            except TransportError as error:
                if tries >= self.retries or not (repeatable or not error._sent) or _final(error):
                    raise
                self.back_off(tries, str(error))
                tries += 1
                continue
            told = _retry_after(response)
            wait = 1.0 if told is None else told
            if status == 429 and waited + wait <= self.max_wait:
                log.warning("%s %s: 429, waiting %.1f s", method, url, wait)
                self._sleep(wait)
                waited += wait
            elif (
                status in _TRANSIENT
                and repeatable
                and tries < self.retries
                and (told is None or told <= self.max_wait)
            ):
                self.back_off(tries, f"{method} {url}: {status}", told or 0.0)
                tries += 1
            else:
                raise _api_error(status, problem, f"{method} {url}", told)

    def back_off(self, tries: int, why: str, at_least: float = 0.0) -> None:
        """Sleeps a random part of half a second, a second, two … before the next try."""
        seconds = max(at_least, random.uniform(0, min(8.0, 0.5 * 2**tries)))
        log.warning("%s; trying again in %.1f s", why, seconds)
        self._sleep(seconds)

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        keyed: bool,
        repeatable: bool,
    ) -> Response:
        """One request, and where it is led to."""
        if self._closed:
            raise ValueError("the client is closed")
        for _ in range(_REDIRECTS + 1):
            sent = {**self._headers, **headers}
            if keyed and self._key is not None and origin_of(url) == self.origin:
                sent["Authorization"] = self._key.bearer()
            started = time.monotonic()
            response = self._transport.send(method, url, sent, body, fresh=not repeatable)
            log.debug("%s %s: %d, %.3f s", method, url, response.status, time.monotonic() - started)
            if response.status not in (301, 302, 303, 307, 308):
                return response
            response.close()
            target = self.follow(url, response.header("Location"))
            if method != "GET":
                raise ProtocolError(f"{method} {url} is led elsewhere: to {target}")
            if origin_of(url).scheme == "https" and origin_of(target).scheme != "https":
                raise ProtocolError(f"{url} is led from https to {target}")
            url = target
        raise ProtocolError(f"{url}: more than {_REDIRECTS} redirects")

    def follow(self, url: str, link: object) -> str:
        """``link`` as a whole address, seen from ``url``."""
        if not isinstance(link, str) or not _ADDRESS.fullmatch(link):
            raise ProtocolError(f"{url} names an address that is none: {link!r}")
        try:
            target = urllib.parse.urljoin(url, link).partition("#")[0]
            origin_of(target)
        except ValueError as error:
            raise ProtocolError(f"{url} names an address that is none: {link!r}") from error
        return target

    def here(self, url: str, link: object) -> str:
        """As ``follow``, of the portal itself alone: who is asked there gets the key."""
        target = self.follow(url, link)
        if origin_of(target) != self.origin:
            raise ProtocolError(f"{url} leads to another host: {target}")
        return target


def _final(error: TransportError) -> bool:
    """A certificate does not get better by asking again."""
    return isinstance(error.__cause__, ssl.SSLCertVerificationError)


def _whole(response: Response) -> bytes:
    """The body. What ends in the middle, where nothing says how long it is, was cut off."""
    data = response.read(LIMIT)
    if not response.delimited and _json.unfinished(data):
        raise TransportError(f"the answer of {response.url} ended early")
    return data


def _problem(response: Response) -> Dict[str, Any]:
    """The problem document, {} where it is none."""
    try:
        document = _json.loads(response.read(_PROBLEM_LIMIT))
    except ProtocolError:
        return {}
    return document if isinstance(document, dict) else {}


def _kind(status: int, code: object) -> Type[ApiError]:
    if status == 410 and code == "cursor-expired":
        return CursorExpiredError
    kinds = {
        401: AuthenticationError,
        403: PermissionDeniedError,
        404: NotFoundError,
        409: ConflictError,
        410: GoneError,
    }
    return kinds.get(status, ServerError if status >= 500 else BadRequestError)


def _message(status: int, problem: Mapping[str, Any], request: str) -> str:
    title, detail = problem.get("title"), problem.get("detail")
    text = title if isinstance(title, str) and title else f"the portal answered {status}"
    if isinstance(detail, str) and detail:
        text += f". {detail}" if text[-1:] not in ".?!" else f" {detail}"
    return f"{text} [{request}: {status}]"


def _api_error(
    status: int, problem: Dict[str, Any], request: str, retry_after: Optional[float]
) -> ApiError:
    message = _message(status, problem, request)
    if status == 429:
        return QuotaExceededError(
            message,
            status=status,
            problem=problem,
            request=request,
            retry_after=retry_after,
            reset=_reset(retry_after),
        )
    return _kind(status, problem.get("code"))(
        message, status=status, problem=problem, request=request
    )


def objects(document: Mapping[str, Any], url: str) -> List[Dict[str, Any]]:
    """The envelope's data, each an object."""
    data: List[Any] = document["data"]
    if not all(isinstance(item, dict) for item in data):
        raise ProtocolError(f"the answer of {url} has data that are no objects")
    return data
