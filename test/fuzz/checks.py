"""Loaded by Schemathesis: checks in addition to its own, and the failures that are no faults."""

import json
import os
import pathlib
import re
import zlib

import schemathesis

from exceptions import exception_names, find_exception

_document = json.loads(pathlib.Path(os.environ["TRADEPOST_FUZZ_DOCUMENT"]).read_text("utf-8"))
_exceptions = pathlib.Path(os.environ["TRADEPOST_FUZZ_EXCEPTIONS"])
_access = os.environ["TRADEPOST_FUZZ_ACCESS"]
_hidden_ids = json.loads(os.environ["TRADEPOST_FUZZ_HIDDEN_IDS"])
_listing_id = os.environ["TRADEPOST_FUZZ_LISTING_ID"]
_webhook_url = _document["components"]["schemas"]["CreateWebhook"]["properties"]["url"]

# Headers that belong to HTTP itself or to the protection of browsers, not to an operation.
_general_headers = {
    "allow",
    "cache-control",
    "connection",
    "content-length",
    "content-security-policy",
    "content-type",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "date",
    "keep-alive",
    "origin-agent-cluster",
    "referrer-policy",
    "strict-transport-security",
    "transfer-encoding",
    "x-content-type-options",
    "x-dns-prefetch-control",
    "x-download-options",
    "x-frame-options",
    "x-permitted-cross-domain-policies",
    "x-xss-protection",
}

with _exceptions.open("a", encoding="utf-8") as file:
    file.writelines(f"{name} 0\n" for name in exception_names())


@schemathesis.hook
def filter_failure(context, failure, case, response):
    name = find_exception(failure, case, response)
    if name is None:
        return True
    with _exceptions.open("a", encoding="utf-8") as file:
        file.write(f"{name} 1\n")
    return False


def _is_text(value, pattern, max_length=10_000):
    return isinstance(value, str) and len(value) <= max_length and re.search(pattern, value) is not None


@schemathesis.hook
def map_body(context, body):
    """
    Makes three quarters of the valid bodies acceptable: a listing that exists, a small quantity, a public host. Of random ones,
    nearly all are rejected, and whatever follows from success would not be tested. What is invalid stays invalid.
    """
    if not isinstance(body, dict) or zlib.crc32(repr(body).encode()) % 4 == 0:
        return body
    changed = dict(body)
    if _is_text(body.get("listingId"), r"^lst_[0-9A-Za-z]{1,64}$"):
        changed["listingId"] = _listing_id
    quantity = body.get("quantity")
    if type(quantity) is int and 1 <= quantity <= 1_000_000:
        changed["quantity"] = 1 + quantity % 20
    if _is_text(body.get("url"), _webhook_url["pattern"], _webhook_url["maxLength"]):
        path = re.sub(r"^https?://[^/?]*", "", body["url"])
        changed["url"] = "https://receiver.example" + path[:1000]
    return changed


@schemathesis.hook
def map_query(context, query):
    """Shortens valid waits for an event: with filters that no event passes, a request lasts as long as it asks for."""
    if not isinstance(query, dict):
        return query
    seconds = str(query.get("waitSeconds"))
    if re.fullmatch("[0-9]{1,2}", seconds) is None or int(seconds) > 30:
        return query
    return {**query, "waitSeconds": int(seconds) % 3}


def _resolve(node):
    if "$ref" not in node:
        return node
    found = _document
    for key in node["$ref"].removeprefix("#/").split("/"):
        found = found[key]
    return _resolve(found)


def _find_documented(case, response):
    """Returns the documented response; None if the document does not describe this method or this status."""
    if response.request.method.lower() != case.operation.method.lower():
        return None
    operation = _document["paths"][case.operation.path][case.operation.method.lower()]
    documented = operation["responses"].get(str(response.status_code))
    return None if documented is None else _resolve(documented)


@schemathesis.check
def documented_headers(ctx, response, case):
    """Every header of a response is documented."""
    documented = _find_documented(case, response)
    if documented is None:
        return
    known = _general_headers | {name.lower() for name in documented.get("headers", {})}
    unknown = sorted(set(response.headers) - known)
    assert not unknown, f"The document does not describe these headers: {', '.join(unknown)}"


@schemathesis.check
def documented_problems(ctx, response, case):
    """A problem has the status of its response, the ID of the request, and a code that the document lists for the status."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return
    problem = response.json()
    assert problem["status"] == response.status_code, "The status of the problem is another one"
    assert [problem["requestId"]] == response.headers["x-request-id"], "The request ID differs"
    documented = _find_documented(case, response)
    if documented is not None:
        codes = documented["content"]["application/problem+json"]["examples"]
        assert problem["code"] in codes, f"The document does not list {problem['code']}"


@schemathesis.check
def limited_access(ctx, response, case):
    """No request without a valid key is accepted, no change with a read-only key, and no ID of another account is shown."""
    method = response.request.method
    accepted = response.status_code < 400 and method != "OPTIONS"
    if _access == "none":
        assert not accepted, "The request has no valid key, and was accepted"
    if _access == "read-only":
        # Whoever signs in with it may read only, too.
        signs_in = case.path in {"/v1/sign-in-codes", "/v1/sessions"}
        allowed = method in {"GET", "HEAD"} or signs_in
        assert not accepted or allowed, "A read-only key changed something"
    shown = [hidden for hidden in _hidden_ids if hidden in response.text]
    assert not shown, f"The account must not see {shown}"
