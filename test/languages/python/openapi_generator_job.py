"""The main job of an integrator, with a client by openapi-generator (python)."""

import json
import os
import uuid
from collections.abc import Callable

from receiver import start_receiver
from report import run
from signatures import has_service_signature, has_webhook_signature
from tradepost_client import (
    ApiClient,
    ApiException,
    Configuration,
    CreateOrder,
    CreateWebhook,
    DeliveriesApi,
    EventsApi,
    NotificationsApi,
    OrderCreatedAccountEvent,
    OrdersApi,
    OrderStatusChangedAccountEvent,
    Problem,
    SendTestEvent,
    UpdateNotification,
    UpdateOrder,
    WebhooksApi,
)

listing_id = os.environ["TRADEPOST_LISTING_ID"]


def connect(key_variable: str) -> ApiClient:
    host = os.environ["TRADEPOST_BASE_URL"]
    return ApiClient(Configuration(host=host, access_token=os.environ[key_variable]))


buyer = connect("TRADEPOST_BUYER_KEY")
seller = connect("TRADEPOST_SELLER_KEY")
buying, selling, webhooks = OrdersApi(buyer), OrdersApi(seller), WebhooksApi(buyer)


def problem_of(request: Callable[[], object]) -> Problem:
    """The problem of a request that must fail: the client raises an error with the response's body."""
    try:
        request()
    except ApiException as error:
        return Problem.from_json(error.body)
    raise AssertionError("The request did not fail.")


def place_order():
    return buying.create_order(CreateOrder(listingId=listing_id, quantity=1)).data


def register(url: str):
    return webhooks.create_webhook(CreateWebhook(url=url, events=["order.created"])).data


def etag_of(order_id: str) -> str:
    return selling.get_order_with_http_info(order_id).headers["ETag"]


def follow_cursor():
    orders, cursor = [], None
    while True:
        page = buying.list_orders(status="pending", limit=1, cursor=cursor)
        orders += page.data
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len({order.id for order in orders}) == len(orders) > 1
    assert all(order.status == "pending" for order in orders)
    return f"{len(orders)} pending orders in as many pages"


def create_once():
    key = str(uuid.uuid4())
    order = CreateOrder(listingId=listing_id, quantity=2)
    first, second = (buying.create_order(order, idempotency_key=key).data for _ in range(2))
    assert first == second and first.quantity == 2
    return first.id


def update_if_match():
    order = place_order()
    body = UpdateOrder(status="fulfilling")
    updated = selling.update_order(order.id, body, if_match=etag_of(order.id)).data
    assert updated.status == "fulfilling"


def update_if_stale():
    order = place_order()
    etag = etag_of(order.id)
    selling.update_order(order.id, UpdateOrder(status="confirmed"))
    body = UpdateOrder(status="fulfilling")
    stale = problem_of(lambda: selling.update_order(order.id, body, if_match=etag))
    assert (stale.status, stale.code) == (412, "precondition_failed")
    return stale.detail


def verify_delivery():
    with start_receiver() as (url, received):
        secret = register(url).secret
        order = place_order()
        headers, raw = received.get(timeout=20)
        assert has_service_signature(secret, headers, raw)
        assert has_webhook_signature(secret, headers, raw)
        assert not has_service_signature(secret, headers, raw + b" ")
        event = json.loads(raw)
        assert (event["event"], event["data"]["orderId"]) == ("order.created", order.id)


def mark_read():
    place_order()
    notifications = NotificationsApi(seller)
    unread = notifications.list_notifications(read=False).data[0]
    read = notifications.mark_notification_read(unread.id, UpdateNotification(read=True)).data
    assert read.id == unread.id and read.read
    return read.message


def read_events():
    order = place_order()
    selling.update_order(order.id, UpdateOrder(status="confirmed"))
    events, after = [], None
    while page := EventsApi(buyer).list_events(after=after, limit=10):
        if not page.data:
            break
        events += [event.actual_instance for event in page.data]
        after = page.next_cursor
    assert all(event.id.startswith("evt_") and event.event for event in events)
    # The type of the event is the class: its data is typed.
    created = [event.data for event in events if isinstance(event, OrderCreatedAccountEvent)]
    changed = [event.data for event in events if isinstance(event, OrderStatusChangedAccountEvent)]
    assert created[-1].order_id == changed[-1].order_id == order.id
    assert (changed[-1].previous_status, changed[-1].status) == ("pending", "confirmed")
    return f"{len(events)} events"


def rotate_secret():
    with start_receiver() as (url, received):
        webhook = register(url)
        staged = webhooks.stage_webhook_secret(webhook.id).data
        place_order()
        headers, raw = received.get(timeout=20)
        # One webhook-signature with each secret. Service-Signature still has the old one.
        assert has_webhook_signature(webhook.secret, headers, raw)
        assert has_webhook_signature(staged.secret, headers, raw)
        assert webhooks.promote_webhook_secret(webhook.id).data.staged_secret_at is None
        place_order()
        headers, raw = received.get(timeout=20)
        assert has_service_signature(staged.secret, headers, raw)
        assert not has_webhook_signature(webhook.secret, headers, raw)


def test_and_replay():
    with start_receiver() as (url, received):
        webhook = register(url)
        deliveries = DeliveriesApi(buyer)
        sent = webhooks.send_test_event(webhook.id, SendTestEvent(event="task.completed")).data
        assert sent.test and sent.event == "task.completed"
        first, _ = received.get(timeout=20)
        assert first["Tradepost-Test"] == "true"
        # The receiver has it; until the service has recorded that, the delivery is pending.
        while (details := deliveries.get_delivery(sent.id).data).state == "pending":
            pass
        assert details.attempts[0].status == 204
        listed = deliveries.list_deliveries(webhook_id=webhook.id).data
        assert [delivery.id for delivery in listed] == [sent.id]
        deliveries.replay_delivery(sent.id)
        second, _ = received.get(timeout=20)
        assert second["webhook-id"] == first["webhook-id"]


def not_found():
    missing = problem_of(lambda: buying.get_order("ord_00000000000000000000000000"))
    assert (missing.status, missing.code) == (404, "order_not_found")
    return missing.detail


def invalid():
    # The class checks the limits of the document, so it is created without the checks.
    order = CreateOrder.model_construct(listing_id=listing_id, quantity=0)
    rejected = problem_of(lambda: buying.create_order(order))
    assert (rejected.status, rejected.code) == (422, "validation_failed")
    assert rejected.errors[0].path == "quantity"
    return rejected.errors[0].message


run("lists orders by status and follows the cursor", follow_cursor)
run("creates one order for two requests with one idempotency key", create_once)
run("updates an order with If-Match", update_if_match)
run("gets a typed 412 for a stale ETag", update_if_stale)
run("verifies a delivery to a webhook that it registered", verify_delivery)
run("lists notifications and marks one as read", mark_read)
run("lists events with typed data", read_events)
run("stages and promotes a secret", rotate_secret)
run("sends a test event, and lists, gets and replays its delivery", test_and_replay)
run("gets a typed 404", not_found)
run("gets a typed 422 with the invalid fields", invalid)
