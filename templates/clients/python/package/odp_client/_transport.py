"""HTTP/1.1 over connections that are kept: pool, proxies, TLS, timeouts, compressed answers."""

from __future__ import annotations

import base64
import http.client
import os
import select
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request
import zlib
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from .errors import ProtocolError, RequestTimeoutError, TransportError

CHUNK = 1 << 17
_IDLE = 55.0  # seconds a connection may rest: servers close theirs after about a minute
_KEPT = 16  # connections that rest, of one origin


class Origin(NamedTuple):
    """Whom one speaks to."""

    scheme: str
    host: str
    port: int


def origin_of(url: str) -> Origin:
    """ValueError where ``url`` is no http address."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no http or https address")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return Origin(parts.scheme, parts.hostname, port)


def _failure(error: BaseException, doing: str, sent: bool) -> TransportError:
    timed_out = isinstance(error, (socket.timeout, TimeoutError))
    reason = "no answer in time" if timed_out else str(error) or type(error).__name__
    kind = RequestTimeoutError if timed_out else TransportError
    failure = kind(f"{doing}: {reason}")
    failure._sent = sent
    failure.__cause__ = error
    return failure


class Response:
    """An answer whose body is still to be read."""

    def __init__(
        self,
        transport: Transport,
        key: Tuple[Origin, Optional[str]],
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        url: str,
    ) -> None:
        self.status: int = response.status
        self.headers: http.client.HTTPMessage = response.headers
        self.url: str = url
        self._transport = transport
        self._key = key
        self._connection = connection
        self._response = response
        self._expected = response.length  # None: chunked, or until the connection ends
        self._ended = False  # the connection is not this answer's any more

    def header(self, name: str) -> str:
        return self.headers.get(name) or ""

    @property
    def delimited(self) -> bool:
        """The answer says itself where it ends."""
        return self._expected is not None or bool(self._response.chunked)

    def _pieces(self) -> Iterator[bytes]:
        left = self._expected
        try:
            while left is None or left > 0:
                try:
                    piece = self._response.read1(CHUNK if left is None else min(CHUNK, left))
                except (OSError, http.client.HTTPException, ValueError) as error:
                    raise _failure(error, f"the answer of {self.url} broke off", True) from error
                if not piece:
                    break
                left = None if left is None else left - len(piece)
                yield piece
            if left:
                raise TransportError(f"the answer of {self.url} ended {left} bytes early")
        except BaseException:  # also when nobody reads on
            self.close()
            raise
        self._response.close()
        self._ended = True
        if self._response.will_close:
            self._connection.close()
        else:
            self._transport._rest(self._key, self._connection)

    def chunks(self) -> Iterator[bytes]:
        """The body piece by piece, unpacked."""
        encoding = self.header("Content-Encoding").strip().lower()
        if encoding in ("", "identity"):
            return self._pieces()
        if encoding in ("gzip", "x-gzip"):
            return self._unpacked()
        self.close()
        raise ProtocolError(f"the answer of {self.url} is packed as {encoding!r}")

    def _unpacked(self) -> Iterator[bytes]:
        unpack = zlib.decompressobj(wbits=31)
        try:
            for piece in self._pieces():
                while piece:
                    if unpack.eof:  # another member of the stream
                        unpack = zlib.decompressobj(wbits=31)
                    data = unpack.decompress(piece, CHUNK)
                    piece = unpack.unconsumed_tail or unpack.unused_data
                    if data:
                        yield data
                    while not piece and not unpack.eof and len(data) == CHUNK:
                        data = unpack.decompress(b"", CHUNK)
                        if data:
                            yield data
        except zlib.error as error:
            self.close()
            raise ProtocolError(f"the answer of {self.url} cannot be unpacked") from error
        if not unpack.eof:
            raise TransportError(f"the answer of {self.url} ended early")

    def read(self, limit: int) -> bytes:
        """The whole body, unpacked. ProtocolError where it has more than ``limit`` bytes."""
        body = bytearray()
        for piece in self.chunks():
            body += piece
            if len(body) > limit:
                self.close()
                raise ProtocolError(f"the answer of {self.url} has more than {limit} bytes")
        return bytes(body)

    def close(self) -> None:
        """For who does not read the body to its end."""
        if not self._ended:
            self._ended = True
            self._connection.close()


class Transport:
    """Connections to some servers. Any thread may use it."""

    def __init__(self, timeout: float, context: Optional[ssl.SSLContext] = None) -> None:
        self._timeout = timeout
        self._context = context
        self._lock = threading.Lock()
        self._resting: Dict[
            Tuple[Origin, Optional[str]], List[Tuple[float, http.client.HTTPConnection]]
        ] = {}
        self._proxies: Dict[Origin, Optional[str]] = {}
        self._process = os.getpid()
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._closed = True
            resting, self._resting = self._resting, {}
        for connections in resting.values():
            for _, connection in connections:
                connection.close()

    def send(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], fresh: bool
    ) -> Response:
        """Sends one request. ``fresh``: not over a connection that the server may have closed."""
        origin = origin_of(url)
        proxy = self._proxy(origin)
        key = (origin, proxy)
        doing = f"{method} {url}"
        while True:
            connection = None if fresh else self._rested(key)
            reused = connection is not None
            if connection is None:
                connection = self._connect(origin, proxy, doing)
            parts = urllib.parse.urlsplit(url)
            target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
            sent = dict(headers)
            if proxy is not None and origin.scheme == "http":
                target = f"http://{parts.netloc}{target}"
                sent.update(_authorization(proxy))
            try:
                connection.request(method, target, body, sent)
                response = connection.getresponse()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if reused and not isinstance(error, (socket.timeout, TimeoutError)):
                    continue  # it was closed while it rested: no failure of this request
                raise _failure(error, doing, True) from error
            except BaseException:
                connection.close()
                raise
            return Response(self, key, connection, response, url)

    def _proxy(self, origin: Origin) -> Optional[str]:
        """As the environment (or the system) has it when the origin is first asked."""
        if origin not in self._proxies:
            self._proxies[origin] = _proxy_for(origin)
        return self._proxies[origin]

    def _connect(
        self, origin: Origin, proxy: Optional[str], doing: str
    ) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        host, port = (origin.host, origin.port) if proxy is None else _address(proxy)
        if origin.scheme == "https":
            if self._context is None:
                self._context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(
                host, port, timeout=self._timeout, context=self._context
            )
            if proxy is not None:
                connection.set_tunnel(origin.host, origin.port, _authorization(proxy))
        else:
            connection = http.client.HTTPConnection(host, port, timeout=self._timeout)
        try:
            connection.connect()
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            connection.close()
            raise _failure(error, doing, False) from error
        connection.auto_open = 0
        connection.set_debuglevel(0)  # it would print the key
        return connection

    def _rested(self, key: Tuple[Origin, Optional[str]]) -> Optional[http.client.HTTPConnection]:
        while True:
            with self._lock:
                if self._process != os.getpid():  # a fork: what rests belongs to the parent
                    for _, connection in sum(self._resting.values(), []):
                        connection.close()
                    self._resting, self._process = {}, os.getpid()
                if not self._resting.get(key):
                    return None
                since, connection = self._resting[key].pop()
            if time.monotonic() - since < _IDLE and not _readable(connection.sock):
                return connection
            connection.close()

    def _rest(
        self, key: Tuple[Origin, Optional[str]], connection: http.client.HTTPConnection
    ) -> None:
        with self._lock:
            resting = self._resting.setdefault(key, [])
            if len(resting) < _KEPT and connection.sock is not None and not self._closed:
                resting.append((time.monotonic(), connection))
                return
        connection.close()


def _readable(sock: Optional[socket.socket]) -> bool:
    """Something came, or the end, where nothing was asked: the connection is of no use."""
    if sock is None:
        return True
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(sock, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _proxy_for(origin: Origin) -> Optional[str]:
    proxies = urllib.request.getproxies()
    proxy = proxies.get(origin.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(f"{origin.host}:{origin.port}"):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if urllib.parse.urlsplit(proxy).scheme != "http":
        name = f"{origin.scheme}_proxy"
        raise ValueError(f"{name}: only http:// proxies can be used (they pass https on, too)")
    return proxy


def _address(proxy: str) -> Tuple[str, int]:
    parts = urllib.parse.urlsplit(proxy)
    if not parts.hostname:
        raise ValueError("the proxy's address has no host")
    return parts.hostname, parts.port or 80


def _authorization(proxy: str) -> Dict[str, str]:
    parts = urllib.parse.urlsplit(proxy)
    if parts.username is None:
        return {}
    user, password = (urllib.parse.unquote(p or "") for p in (parts.username, parts.password))
    token = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    return {"Proxy-Authorization": f"Basic {token}"}
