"""
What Schemathesis reports and is no fault, each with its reason. `checks.py` drops the failures that one of these matches, and
`main.ts` prints how many each matched.
"""

import re


def _problem(response):
    """Returns the problem of a response; an empty one if it has none."""
    try:
        return response.json()
    except ValueError:
        return {}


def _is_rejected(failure, response, status, code):
    """Whether a request that the document permits was rejected with this problem."""
    return (
        type(failure).__name__ == "RejectedPositiveData"
        and response.status_code == status
        and _problem(response).get("code") == code
    )


def _blamed(response):
    """Returns the fields and parameters that the problem blames."""
    return {error["path"] for error in _problem(response).get("errors", [])}


def _names_only(response, path):
    """Whether the problem blames this field or parameter alone."""
    return _blamed(response) == {path}


def _object(case):
    """Returns the body of a request; an empty object if it has no object."""
    return case.body if isinstance(case.body, dict) else {}


def _is_foreign_cursor(failure, case, response):
    """A cursor is opaque: the document cannot say which texts the service has issued."""
    return _is_rejected(failure, response, 400, "invalid_cursor") and bool(
        {"cursor", "after", "before"} & {*(case.query or {}), *_object(case)}
    )


def _is_contradictory_event_query(failure, case, response):
    """OpenAPI cannot say that parameters exclude or need each other. Their descriptions do."""
    blamed = _blamed(response)
    return (
        _is_rejected(failure, response, 422, "validation_failed")
        and blamed <= {"since", "tail", "before", "waitSeconds"}
        and blamed <= set(case.query or {})
        and bool({"after", "tail", "before", "waitSeconds"} & set(case.query or {}))
    )


def _is_empty_quantity_range(failure, case, response):
    """OpenAPI cannot compare two parameters. The description of `maxQuantity` does."""
    query = case.query or {}
    return (
        _is_rejected(failure, response, 422, "validation_failed")
        and _names_only(response, "maxQuantity")
        and int(query["minQuantity"]) > int(query["maxQuantity"])
    )


def _is_reversed_period(failure, case, response):
    """The same for two times."""
    values = {**(case.query or {}), **_object(case)}
    return (
        _is_rejected(failure, response, 422, "validation_failed")
        and _names_only(response, "since")
        and {"since", "until"} <= set(values)
    )


def _is_read_false(failure, case, response):
    """`read` is a boolean in the document, because client generators have no type for a constant. Its description says more."""
    return (
        _is_rejected(failure, response, 422, "validation_failed")
        and _names_only(response, "read")
        and case.body == {"read": False}
    )


def _is_unknown_listing(failure, case, response):
    """A schema cannot say which listings exist. The problem is a 422 and no 404, because the body has the ID, not the path."""
    return _is_rejected(failure, response, 422, "listing_not_found")


def _is_reused_idempotency_key(failure, case, response):
    """Schemathesis sends the same Idempotency-Key with different requests. The document says that it belongs to one request."""
    return (
        _is_rejected(failure, response, 422, "idempotency_key_reused")
        and "Idempotency-Key" in (case.headers or {})
    )


def _is_changed_order(failure, case, response):
    """An entity tag is only known after the order was read. The document has the 412."""
    return _is_rejected(failure, response, 412, "precondition_failed") and "If-Match" in (
        case.headers or {}
    )


def _is_unquoted_entity_tag(failure, case, response):
    """A fault of Schemathesis: its coverage phase sends `If-Match: 0`, which the pattern of the document forbids, as valid."""
    tag = (case.headers or {}).get("If-Match", "")
    return (
        _is_rejected(failure, response, 422, "validation_failed")
        and _names_only(response, "if-match")
        and re.search(r'["*]', tag) is None
    )


def _is_forbidden_url(path, body):
    """Hosts, ports and schemes that the policy of a service forbids, and texts that no URL parser accepts, have no pattern."""
    return path == "url" and "url" in body


_RESERVED_HEADER = re.compile(
    r"(accept-encoding|baggage|connection|content-(encoding|length|type)|date|expect|host|http2-settings"
    r"|keep-alive|te|trailer|traceparent|tracestate|transfer-encoding|upgrade|user-agent|via"
    r"|(proxy|service|tradepost|webhook)-.*)"
)


def _is_reserved_header(path, body):
    """The description of `headers` says which names are reserved; and that two names differ in more than case, JSON Schema cannot say."""
    headers = body.get("headers")
    names = [name.lower() for name in headers] if isinstance(headers, dict) else []
    return path.startswith("headers.") and (
        len(set(names)) < len(names) or any(_RESERVED_HEADER.fullmatch(name) for name in names)
    )


def _is_unusual_line(path, body):
    """The pattern of one line of text says what all languages can: of other than ASCII, not which characters nobody sees, and which are white space."""
    value = body.get(path)
    return path in {"reason", "name", "description"} and isinstance(value, str) and not value.isascii()


_EXCEPTIONS = [
    _is_foreign_cursor,
    _is_contradictory_event_query,
    _is_empty_quantity_range,
    _is_reversed_period,
    _is_read_false,
    _is_unknown_listing,
    _is_reused_idempotency_key,
    _is_changed_order,
    _is_unquoted_entity_tag,
]


# Of single fields of a body. A problem may blame several of them at once.
_FIELD_EXCEPTIONS = [_is_forbidden_url, _is_reserved_header, _is_unusual_line]


def _find_field_exceptions(failure, case, response):
    """Returns an exception for each field that the problem blames; nothing if one of them has none."""
    if not _is_rejected(failure, response, 422, "validation_failed"):
        return []
    body = _object(case)
    found = [
        [exception for exception in _FIELD_EXCEPTIONS if exception(path, body)][:1]
        for path in sorted(_blamed(response))
    ]
    return [one[0] for one in found] if all(found) else []


def _name(exception):
    return exception.__name__.removeprefix("_is_")


def find_exception(failure, case, response):
    """Returns the name of the first exception that a failure matches; None for a fault."""
    whole = (exception for exception in _EXCEPTIONS if exception(failure, case, response))
    exception = next(whole, None) or next(iter(_find_field_exceptions(failure, case, response)), None)
    return None if exception is None else _name(exception)


def exception_names():
    """Returns the names of all exceptions."""
    return [_name(exception) for exception in [*_EXCEPTIONS, *_FIELD_EXCEPTIONS]]
