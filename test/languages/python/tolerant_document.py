"""Writes an OpenAPI document whose clients accept values that later versions add: IN OUT.

For generators without an option for that: they reject a whole page for one unknown value. Enumerations of
components become text, and an event of an unknown type becomes an `OtherEvent`.
"""

import json
import sys
from pathlib import Path

document = json.loads(Path(sys.argv[1]).read_bytes())
schemas = document["components"]["schemas"]

for schema in schemas.values():
    schema.pop("enum", None)

schemas["OtherEvent"] = {
    "type": "object",
    "required": ["event", "createdAt", "data"],
    "properties": {
        "event": {"type": "string"},
        "id": {"type": "string"},
        "createdAt": {"type": "string", "format": "date-time"},
        "data": {"type": "object", "additionalProperties": True},
    },
}
for name in ("AccountEvent", "WebhookEvent"):
    event = schemas[name]
    del event["discriminator"]
    # The first schema that fits is used, so this one comes last. It fits known types too, so it is not `oneOf`.
    event["anyOf"] = [*event.pop("oneOf"), {"$ref": "#/components/schemas/OtherEvent"}]

Path(sys.argv[2]).write_text(json.dumps(document, indent=2), encoding="utf-8")
