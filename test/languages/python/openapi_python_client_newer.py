"""What a client by openapi-python-client does with values that its document does not list."""

import os

from report import run
from tradepost_client import AuthenticatedClient
from tradepost_client.api.events import list_events
from tradepost_client.api.orders import get_order, list_orders

newer_service = os.environ["TRADEPOST_NEWER_BASE_URL"]
buyer = AuthenticatedClient(base_url=newer_service, token=os.environ["TRADEPOST_BUYER_KEY"])


def list_statuses():
    return list_orders.sync_detailed(client=buyer).parsed.data[0].status


def read_new_field():
    order_id = os.environ["TRADEPOST_ORDER_ID"]
    return get_order.sync_detailed(order_id, client=buyer).parsed.data["priority"]


def list_types():
    event = list_events.sync_detailed(client=buyer).parsed.data[0]
    return f"{event.event} as {type(event).__name__}"


run("reads an order with a new field", read_new_field)
run("lists orders of which one has an unknown status", list_statuses)
run("lists events of which one has an unknown type", list_types)
