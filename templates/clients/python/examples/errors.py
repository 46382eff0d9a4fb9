"""Errors are classes by kind, with the portal's problem document inside."""

from odp_client import (
    ApiError,
    BadRequestError,
    Client,
    QuotaExceededError,
    TransportError,
)

with Client() as client:
    try:
        for record in client.@DATASET@.list(filter="@NUMBER@ > > 1"):
            print(record)
    except BadRequestError as error:
        print("the filter is wrong:", error.code, error.detail)
    except QuotaExceededError as error:
        print("the quota is used up until", error.reset)
    except ApiError as error:
        print("the portal says:", error.status, error.code)
    except TransportError as error:
        print("there was no answer:", error)
