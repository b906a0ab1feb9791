"""The main job of an integrator, with a client by openapi-python-client."""

import json
import os
import uuid

from receiver import start_receiver
from report import run
from signatures import has_service_signature, has_webhook_signature
from tradepost_client import AuthenticatedClient
from tradepost_client.api.deliveries import get_delivery, list_deliveries, replay_delivery
from tradepost_client.api.events import list_events
from tradepost_client.api.notifications import list_notifications, mark_notification_read
from tradepost_client.api.orders import create_order, get_order, list_orders, update_order
from tradepost_client.api.webhooks import (
    create_webhook,
    promote_webhook_secret,
    send_test_event,
    stage_webhook_secret,
)
from tradepost_client.models import (
    CreateOrder,
    CreateWebhook,
    OrderCreatedAccountEvent,
    OrderStatusChangedAccountEvent,
    Problem,
    SendTestEvent,
    UpdateNotification,
    UpdateOrder,
)
from tradepost_client.types import UNSET, Response

base_url = os.environ["TRADEPOST_BASE_URL"]
listing_id = os.environ["TRADEPOST_LISTING_ID"]
buyer = AuthenticatedClient(base_url=base_url, token=os.environ["TRADEPOST_BUYER_KEY"])
seller = AuthenticatedClient(base_url=base_url, token=os.environ["TRADEPOST_SELLER_KEY"])


def success(response: Response):
    """The parsed body of a success. A client by this generator returns problems, it raises no error."""
    if isinstance(response.parsed, Problem):
        raise RuntimeError(f"{response.parsed.code}: {response.parsed.detail}")
    return response.parsed


def problem(response: Response) -> Problem:
    assert isinstance(response.parsed, Problem), response.content
    return response.parsed


def place_order():
    body = CreateOrder(listing_id=listing_id, quantity=1)
    return success(create_order.sync_detailed(client=buyer, body=body)).data


def follow_cursor():
    orders, cursor = [], UNSET
    while cursor is not None:
        page = success(
            list_orders.sync_detailed(client=buyer, status="pending", limit=1, cursor=cursor)
        )
        orders += page.data
        cursor = page.next_cursor
    assert len({order.id for order in orders}) == len(orders) > 1
    assert all(order.status == "pending" for order in orders)
    return f"{len(orders)} pending orders in as many pages"


def create_once():
    key = str(uuid.uuid4())
    body = CreateOrder(listing_id=listing_id, quantity=2)
    first, second = (
        success(create_order.sync_detailed(client=buyer, body=body, idempotency_key=key)).data
        for _ in range(2)
    )
    assert first == second and first.quantity == 2
    return first.id


def update_if_match():
    order = place_order()
    read = get_order.sync_detailed(order.id, client=seller)
    etag = read.headers["ETag"]
    body = UpdateOrder(status="fulfilling")
    updated = success(update_order.sync_detailed(order.id, client=seller, body=body, if_match=etag))
    assert updated.data.status == "fulfilling"


def update_if_stale():
    order = place_order()
    etag = get_order.sync_detailed(order.id, client=seller).headers["ETag"]
    success(update_order.sync_detailed(order.id, client=seller, body=UpdateOrder(status="confirmed")))
    stale = problem(
        update_order.sync_detailed(
            order.id, client=seller, body=UpdateOrder(status="fulfilling"), if_match=etag
        )
    )
    assert (stale.status, stale.code) == (412, "precondition_failed")
    return stale.detail


def verify_delivery():
    with start_receiver() as (url, received):
        body = CreateWebhook(url=url, events=["order.created"])
        webhook = success(create_webhook.sync_detailed(client=buyer, body=body)).data
        order = place_order()
        headers, raw = received.get(timeout=20)
        assert has_service_signature(webhook.secret, headers, raw)
        assert has_webhook_signature(webhook.secret, headers, raw)
        assert not has_service_signature(webhook.secret, headers, raw + b" ")
        event = json.loads(raw)
        assert (event["event"], event["data"]["orderId"]) == ("order.created", order.id)


def mark_read():
    place_order()
    unread = success(list_notifications.sync_detailed(client=seller, read=False)).data
    read = success(
        mark_notification_read.sync_detailed(
            unread[0].id, client=seller, body=UpdateNotification(read=True)
        )
    ).data
    assert read.id == unread[0].id and read.read
    return read.message


def read_events():
    order = place_order()
    success(update_order.sync_detailed(order.id, client=seller, body=UpdateOrder(status="confirmed")))
    events, after = [], UNSET
    while page := success(list_events.sync_detailed(client=buyer, after=after, limit=10)):
        if not page.data:
            break
        events += page.data
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
        body = CreateWebhook(url=url, events=["order.created"])
        webhook = success(create_webhook.sync_detailed(client=buyer, body=body)).data
        staged = success(stage_webhook_secret.sync_detailed(webhook.id, client=buyer)).data
        place_order()
        headers, raw = received.get(timeout=20)
        # One webhook-signature with each secret. Service-Signature still has the old one.
        assert has_webhook_signature(webhook.secret, headers, raw)
        assert has_webhook_signature(staged.secret, headers, raw)
        promoted = success(promote_webhook_secret.sync_detailed(webhook.id, client=buyer)).data
        assert promoted.staged_secret_at is None
        place_order()
        headers, raw = received.get(timeout=20)
        assert has_service_signature(staged.secret, headers, raw)
        assert not has_webhook_signature(webhook.secret, headers, raw)


def test_and_replay():
    with start_receiver() as (url, received):
        body = CreateWebhook(url=url, events=["order.created"])
        webhook = success(create_webhook.sync_detailed(client=buyer, body=body)).data
        sent = success(
            send_test_event.sync_detailed(
                webhook.id, client=buyer, body=SendTestEvent(event="task.completed")
            )
        ).data
        assert sent.test and sent.event == "task.completed"
        first, _ = received.get(timeout=20)
        assert first["Tradepost-Test"] == "true"
        # The receiver has it; until the service has recorded that, the delivery is pending.
        while (details := success(get_delivery.sync_detailed(sent.id, client=buyer)).data).state == "pending":
            pass
        assert details.attempts[0].status == 204
        listed = success(list_deliveries.sync_detailed(client=buyer, webhook_id=webhook.id)).data
        assert [delivery.id for delivery in listed] == [sent.id]
        success(replay_delivery.sync_detailed(sent.id, client=buyer))
        second, _ = received.get(timeout=20)
        assert second["webhook-id"] == first["webhook-id"]


def not_found():
    missing = problem(get_order.sync_detailed("ord_00000000000000000000000000", client=buyer))
    assert (missing.status, missing.code) == (404, "order_not_found")
    return missing.detail


def invalid():
    body = CreateOrder(listing_id=listing_id, quantity=0)
    rejected = problem(create_order.sync_detailed(client=buyer, body=body))
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
