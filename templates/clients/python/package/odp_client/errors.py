"""What can go wrong, by kind. Everything here is an :class:`OdpError`.

Wrong arguments raise Python's own ``TypeError`` and ``ValueError``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, Mapping, Optional, Union

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "CursorExpiredError",
    "GoneError",
    "IntegrityError",
    "NotFoundError",
    "OdpError",
    "PermissionDeniedError",
    "ProtocolError",
    "QuotaExceededError",
    "RequestTimeoutError",
    "ServerError",
    "SignatureError",
    "TransportError",
]


class OdpError(Exception):
    """The base of all errors of this library."""


class ApiError(OdpError):
    """The portal answered with an error.

    ``code`` is stable from release to release: programs may depend on it. ``problem`` is the whole
    problem document (RFC 9457), empty where the answer was none.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        problem: Optional[Mapping[str, Any]] = None,
        request: str = "",
    ) -> None:
        super().__init__(message)
        self.status: int = status
        self.problem: Dict[str, Any] = dict(problem or {})
        self.request: str = request

    def _text(self, name: str) -> Optional[str]:
        value = self.problem.get(name)
        return value if isinstance(value, str) else None

    @property
    def code(self) -> Optional[str]:
        """The problem's stable name, such as ``"filter-invalid"``."""
        return self._text("code")

    @property
    def title(self) -> Optional[str]:
        """What is wrong, in a few words."""
        return self._text("title")

    @property
    def detail(self) -> Optional[str]:
        """What was found, what was expected and what to do."""
        return self._text("detail")


class BadRequestError(ApiError):
    """The portal does not understand the request (400, 406, 413, 414, 415, 422 …)."""


class AuthenticationError(ApiError):
    """There is no key, or none that is valid (401)."""


class PermissionDeniedError(ApiError):
    """The key may not do this, or is suspended (403)."""


class NotFoundError(ApiError):
    """There is no such record, dataset or file (404)."""


class ConflictError(ApiError):
    """This contradicts what is there, such as a second key for one e-mail address (409)."""


class GoneError(ApiError):
    """The dataset was withdrawn (410)."""


class CursorExpiredError(GoneError):
    """The version that was being walked through is not kept any more: begin again."""


class QuotaExceededError(ApiError):
    """The quota is used up, and opens again later than the client may wait (429)."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 429,
        problem: Optional[Mapping[str, Any]] = None,
        request: str = "",
        retry_after: Optional[float] = None,
        reset: Optional[datetime] = None,
    ) -> None:
        super().__init__(message, status=status, problem=problem, request=request)
        self.retry_after: Optional[float] = retry_after
        """Seconds until it opens again, where the portal said so."""
        self.reset: Optional[datetime] = reset
        """When it opens again, with a time zone; None where the portal did not say."""


class ServerError(ApiError):
    """The portal has failed (5xx)."""


class TransportError(OdpError):
    """There was no whole answer. ``__cause__`` has the reason."""

    _sent = True  # something may have reached the server: not safe to send again


class RequestTimeoutError(TransportError):
    """There was no answer in time."""


class ProtocolError(OdpError):
    """There was an answer, but not one of this API."""


class IntegrityError(OdpError):
    """A file is not what its digest or its size says it is."""

    def __init__(
        self,
        message: str,
        *,
        expected: Union[str, int, None] = None,
        found: Union[str, int, None] = None,
    ) -> None:
        super().__init__(message)
        self.expected: Union[str, int, None] = expected
        self.found: Union[str, int, None] = found


class SignatureError(OdpError):
    """A webhook's message that is not from the portal, or not of now."""
