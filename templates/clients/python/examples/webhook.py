"""A message of a webhook is only the portal's if its signature says so."""

import base64
import hashlib
import hmac
import json
import time

from odp_client import SignatureError, verify

secret = "whsec_" + base64.b64encode(bytes(range(24))).decode()  # as webhooks.create() told it

# What a receiver gets; signed here as the portal would sign it.
body = json.dumps({"type": "webhook.test", "data": {}}).encode()
id, timestamp = "msg_contoh", str(int(time.time()))
signed = f"{id}.{timestamp}.".encode() + body
key = base64.b64decode(secret[len("whsec_") :])
signature = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}

message = verify(body, headers, secret)
print("from the portal:", message["type"])

try:
    verify(body + b" ", headers, secret)
except SignatureError as error:
    print("refused:", error)
