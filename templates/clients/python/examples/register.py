"""A free key, at once. It is told this once: keep it."""

import secrets

from odp_client import Client

with Client() as client:
    email = f"{secrets.token_hex(8)}@example.org"  # yours
    issued = client.register("Sari Contoh", email, purpose="trying it out")
    print(f"{issued.tier}: {issued.limit} requests a day")
    print(f"export ODP_KEY={issued.key}")
