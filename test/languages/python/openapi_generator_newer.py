"""What a client by openapi-generator (python) does with values that its document does not list."""

import os

from report import run
from tradepost_client import ApiClient, Configuration, EventsApi, OrdersApi

newer_service = os.environ["TRADEPOST_NEWER_BASE_URL"]
buyer = ApiClient(
    Configuration(host=newer_service, access_token=os.environ["TRADEPOST_BUYER_KEY"])
)


def list_types():
    event = EventsApi(buyer).list_events().data[0].actual_instance
    return f"{event.event} as {type(event).__name__}"


order_id = os.environ["TRADEPOST_ORDER_ID"]
run("reads an order with a new field", lambda: OrdersApi(buyer).get_order(order_id).data.status)
run(
    "lists orders of which one has an unknown status",
    lambda: OrdersApi(buyer).list_orders().data[0].status,
)
run("lists events of which one has an unknown type", list_types)
