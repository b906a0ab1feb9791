"""Verifies the deliveries of test vectors and compares the verdicts: verify.py FILE..."""

import base64
import json
import sys
from pathlib import Path

from report import report
from signatures import has_service_signature, has_webhook_signature

for file in map(Path, sys.argv[1:]):
    for vector in json.loads(file.read_bytes())["vectors"]:
        body = base64.b64decode(vector["body"])
        headers, expected = vector["headers"], vector["expected"]
        for header, verify, verdict in (
            ("Service-Signature", has_service_signature, expected["serviceSignature"]),
            ("webhook-signature", has_webhook_signature, expected["webhookSignature"]),
        ):
            # While a secret is replaced, a receiver has two, and accepts a signature of either.
            accepted = any(verify(secret, headers, body) for secret in vector["secrets"])
            detail = f"accepted: {accepted}, expected: {verdict}"
            report(f"{file.name}: {vector['name']}: {header}", accepted == verdict, detail)
