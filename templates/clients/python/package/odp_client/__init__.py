"""Open data of the portal, from Python.

::

    from odp_client import Client

    with Client() as client:  # the key comes from the environment: ODP_KEY
        for entry in client.catalog():
            print(entry.slug, entry.version)

What happens is told to ``logging.getLogger("odp_client")``: requests at DEBUG, waiting and trying
again at WARNING.
"""

import logging

from . import errors
from ._about import RELEASE as __version__
from ._client import Client
from ._json import PrecisionWarning
from .errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    CursorExpiredError,
    GoneError,
    IntegrityError,
    NotFoundError,
    OdpError,
    PermissionDeniedError,
    ProtocolError,
    QuotaExceededError,
    RequestTimeoutError,
    ServerError,
    SignatureError,
    TransportError,
)
from .models import CatalogEntry, Download, IssuedKey, Sync, Usage, Version
from .records import Change, Column, Page, Record
from .resources import Dataset, Records, Resource
from .webhooks import Webhook, Webhooks, verify

logging.getLogger("odp_client").addHandler(logging.NullHandler())

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BadRequestError",
    "CatalogEntry",
    "Change",
    "Client",
    "Column",
    "ConflictError",
    "CursorExpiredError",
    "Dataset",
    "Download",
    "GoneError",
    "IntegrityError",
    "IssuedKey",
    "NotFoundError",
    "OdpError",
    "Page",
    "PermissionDeniedError",
    "PrecisionWarning",
    "ProtocolError",
    "QuotaExceededError",
    "Record",
    "Records",
    "RequestTimeoutError",
    "Resource",
    "ServerError",
    "SignatureError",
    "Sync",
    "TransportError",
    "Usage",
    "Version",
    "Webhook",
    "Webhooks",
    "__version__",
    "errors",
    "verify",
]
