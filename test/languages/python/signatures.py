"""How a receiver in Python verifies a delivery: over the raw body, before it parses it."""

import binascii
import hashlib
import hmac
from collections.abc import Mapping

from standardwebhooks import Webhook, WebhookVerificationError


def has_service_signature(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether `Service-Signature` is right. Its key is the whole text of the secret, with `whsec_`."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    received = headers.get("Service-Signature", "")
    # Bytes: compare_digest raises an error for text that is not ASCII.
    return hmac.compare_digest(expected.encode(), received.encode())


def has_webhook_signature(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether the Standard Webhooks library accepts a delivery: its ID, its timestamp and its body."""
    try:
        Webhook(secret).verify(body, dict(headers), json_parse=False)
    # The library raises errors of its own, and ValueError when it cannot parse a header.
    except (WebhookVerificationError, ValueError, binascii.Error):
        return False
    return True
