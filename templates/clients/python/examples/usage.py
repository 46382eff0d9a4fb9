"""What the key may do, and has done."""

from odp_client import Client

with Client() as client:
    usage = client.usage()
    left = "no limit" if usage.remaining is None else f"{usage.remaining} left"
    print(f"{usage.tier}: {usage.used} requests today, {left}, until {usage.reset}")
