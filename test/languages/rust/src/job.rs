//! The main job of an integrator, with a client by progenitor.

mod newer;
mod receiver;
mod report;
mod signatures;

/// The generated client: a 400 and a range of 4XX have the same code.
#[allow(dead_code, unreachable_patterns)]
mod client {
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}

use std::{collections::HashSet, env, error::Error, num::NonZeroU64};

use client::{Client, types};
use futures_util::TryStreamExt;
use newer::connect;
use progenitor_client::{ByteStream, Error as ClientError};
use receiver::{Delivery, Receiver};
use report::{Outcome, report};
use serde::{Deserialize, Serialize};
use signatures::{has_service_signature, has_webhook_signature};

/// An event of a known type, or any other. It replaces the generated `AccountEvent` (see build.rs), which rejects
/// unknown types.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum AnyEvent {
    OrderCreated(types::OrderCreatedAccountEvent),
    OrderStatusChanged(types::OrderStatusChangedAccountEvent),
    TaskApprovalRequested(types::TaskApprovalRequestedAccountEvent),
    TaskCompleted(types::TaskCompletedAccountEvent),
    ListingAvailabilityLow(types::ListingAvailabilityLowAccountEvent),
    Other(serde_json::Value),
}

struct Job {
    buyer: Client,
    seller: Client,
    listing: String,
}

fn expect(condition: bool, seen: impl std::fmt::Debug) -> Result<(), Box<dyn Error>> {
    if condition { Ok(()) } else { Err(format!("not as expected: {seen:?}").into()) }
}

/// The problem of a request that must fail. The generator takes only `application/json` for JSON, so the body of an
/// error is a stream of bytes.
async fn problem_of<T>(result: Result<T, ClientError<ByteStream>>) -> Result<types::Problem, Box<dyn Error>> {
    match result {
        Err(ClientError::ErrorResponse(response)) => {
            let chunks: Vec<_> = response.into_inner_stream().try_collect().await?;
            Ok(serde_json::from_slice(&chunks.concat())?)
        }
        Err(other) => Err(other.into()),
        Ok(_) => Err("The request did not fail.".into()),
    }
}

impl Job {
    fn new_order(&self, quantity: NonZeroU64) -> Result<types::CreateOrder, Box<dyn Error>> {
        let order = types::CreateOrder::builder().listing_id(self.listing.as_str()).quantity(quantity);
        Ok(order.try_into()?)
    }

    async fn place_order(&self) -> Result<types::Order, Box<dyn Error>> {
        Ok(self.buyer.create_order().body(self.new_order(NonZeroU64::MIN)?).send().await?.into_inner().data)
    }

    async fn etag_of(&self, id: &str) -> Result<String, Box<dyn Error>> {
        let order = self.seller.get_order().id(id).send().await?;
        Ok(order.headers()["etag"].to_str()?.to_owned())
    }

    async fn register(&self, receiver: &Receiver) -> Result<types::CreatedWebhook, Box<dyn Error>> {
        let body = types::CreateWebhook::builder()
            .url(receiver.url())
            .events(vec!["order.created".to_owned()]);
        Ok(self.buyer.create_webhook().body(body).send().await?.into_inner().data)
    }

    async fn follow_cursor(&self) -> Outcome {
        let mut ids = HashSet::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut request = self.buyer.list_orders().status("pending").limit(NonZeroU64::MIN);
            if let Some(cursor) = cursor {
                request = request.cursor(cursor);
            }
            let page = request.send().await?.into_inner();
            for order in page.data {
                expect(order.status == "pending" && ids.insert(order.id.to_string()), order)?;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        expect(ids.len() > 1, &ids)?;
        Ok(format!("{} pending orders in as many pages", ids.len()))
    }

    async fn create_once(&self) -> Outcome {
        let mut ids = HashSet::new();
        for _ in 0..2 {
            let request = self.buyer.create_order().idempotency_key("order-2026-11-23-1");
            let order = request.body(self.new_order(NonZeroU64::MIN)?).send().await?.into_inner().data;
            ids.insert(order.id.to_string());
        }
        expect(ids.len() == 1, &ids)?;
        Ok(String::new())
    }

    async fn set_status(
        &self,
        id: &str,
        status: &str,
        etag: Option<&str>,
    ) -> Result<types::Order, ClientError<ByteStream>> {
        let body = types::UpdateOrder { reason: None, status: status.to_owned() };
        let mut request = self.seller.update_order().id(id).body(body);
        if let Some(etag) = etag {
            request = request.if_match(etag);
        }
        Ok(request.send().await?.into_inner().data)
    }

    async fn update_if_match(&self) -> Outcome {
        let id = self.place_order().await?.id;
        let etag = self.etag_of(&id).await?;
        Ok(self.set_status(&id, "fulfilling", Some(&etag)).await?.status)
    }

    async fn update_if_stale(&self) -> Outcome {
        let id = self.place_order().await?.id;
        let etag = self.etag_of(&id).await?;
        self.set_status(&id, "confirmed", None).await?;
        let problem = problem_of(self.set_status(&id, "fulfilling", Some(&etag)).await).await?;
        expect(problem.status == 412 && problem.code == "precondition_failed", &problem)?;
        Ok(problem.detail)
    }

    async fn verify_delivery(&self) -> Outcome {
        let receiver = Receiver::start()?;
        let secret = self.register(&receiver).await?.secret.to_string();
        let order = self.place_order().await?;
        let Delivery { headers, mut body } = receiver.next()?;
        expect(has_service_signature(&secret, &headers, &body), &headers)?;
        expect(has_webhook_signature(&secret, &headers, &body), &headers)?;
        let event: types::OrderCreatedEvent = serde_json::from_slice(&body)?;
        expect(event.data.order_id.as_str() == order.id.as_str(), &event)?;
        body.push(b' ');
        expect(!has_service_signature(&secret, &headers, &body), "a changed body")?;
        Ok(event.event.to_string())
    }

    async fn mark_read(&self) -> Outcome {
        self.place_order().await?;
        let unread = self.seller.list_notifications().read(false).send().await?.into_inner();
        let id = unread.data[0].id.to_string();
        let body = types::UpdateNotification { read: true };
        let read = self.seller.mark_notification_read().id(id).body(body).send().await?.into_inner().data;
        expect(read.read, &read)?;
        Ok(read.message)
    }

    async fn read_events(&self) -> Outcome {
        let order = self.place_order().await?;
        self.set_status(&order.id, "confirmed", None).await?;
        let (mut created, mut changed) = (None, None);
        let mut count = 0;
        let mut after: Option<String> = None;
        loop {
            let mut request = self.buyer.list_events().limit(NonZeroU64::MIN.saturating_add(9));
            if let Some(after) = after {
                request = request.after(after);
            }
            let page = request.send().await?.into_inner();
            if page.data.is_empty() {
                break;
            }
            count += page.data.len();
            for event in page.data {
                match event {
                    AnyEvent::OrderCreated(event) => created = Some(event),
                    AnyEvent::OrderStatusChanged(event) => changed = Some(event),
                    AnyEvent::Other(event) => return Err(format!("unknown event {event}").into()),
                    _ => {}
                }
            }
            after = Some(page.next_cursor);
        }
        let created = created.ok_or("no order.created")?;
        expect(created.id.starts_with("evt_"), &created)?;
        expect(created.data.order_id.as_str() == order.id.as_str(), &created)?;
        let changed = changed.ok_or("no order.status_changed")?;
        expect(changed.data.status == "confirmed", &changed)?;
        Ok(format!("{count} events"))
    }

    async fn rotate_secret(&self) -> Outcome {
        let receiver = Receiver::start()?;
        let webhook = self.register(&receiver).await?;
        let id = webhook.id.to_string();
        let staged = self.buyer.stage_webhook_secret().id(&id).send().await?.into_inner().data;
        self.place_order().await?;
        // One webhook-signature with each secret. Service-Signature still has the old one.
        let Delivery { headers, body } = receiver.next()?;
        expect(has_webhook_signature(&webhook.secret, &headers, &body), &headers)?;
        expect(has_webhook_signature(&staged.secret, &headers, &body), &headers)?;
        let promoted = self.buyer.promote_webhook_secret().id(&id).send().await?.into_inner().data;
        expect(promoted.staged_secret_at.is_none(), &promoted)?;
        self.place_order().await?;
        let Delivery { headers, body } = receiver.next()?;
        expect(has_service_signature(&staged.secret, &headers, &body), &headers)?;
        expect(!has_webhook_signature(&webhook.secret, &headers, &body), &headers)?;
        Ok(String::new())
    }

    async fn test_and_replay(&self) -> Outcome {
        let receiver = Receiver::start()?;
        let webhook = self.register(&receiver).await?.id.to_string();
        let body = types::SendTestEvent { event: "task.completed".to_owned() };
        let sent = self.buyer.send_test_event().id(&webhook).body(body).send().await?.into_inner().data;
        let id = sent.id.to_string();
        let first = receiver.next()?.headers;
        expect(first["tradepost-test"] == "true", &first)?;
        // The receiver has it; until the service has recorded that, the delivery is pending.
        let details = loop {
            let details = self.buyer.get_delivery().id(&id).send().await?.into_inner().data;
            if details.state != "pending" {
                break details;
            }
        };
        let request = self.buyer.list_deliveries().webhook_id(webhook);
        let listed = request.send().await?.into_inner().data;
        expect(listed.len() == 1 && listed[0].id.as_str() == id, &listed)?;
        self.buyer.replay_delivery().id(&id).send().await?;
        let second = receiver.next()?.headers;
        expect(first["webhook-id"] == second["webhook-id"], &second)?;
        Ok(details.state)
    }

    async fn not_found(&self) -> Outcome {
        let request = self.buyer.get_order().id("ord_00000000000000000000000000");
        let problem = problem_of(request.send().await).await?;
        expect(problem.status == 404 && problem.code == "order_not_found", &problem)?;
        Ok(problem.detail)
    }

    async fn invalid(&self) -> Outcome {
        // The generated type does not take 0. Other limits are checked by the service.
        let order = self.new_order(NonZeroU64::MAX)?;
        let problem = problem_of(self.buyer.create_order().body(order).send().await).await?;
        expect(problem.status == 422 && problem.errors[0].path == "quantity", &problem)?;
        Ok(problem.errors[0].message.clone())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::var("TRADEPOST_NEWER_BASE_URL").is_ok() {
        return newer::report_newer().await;
    }
    let job = Job {
        buyer: connect("TRADEPOST_BASE_URL", "TRADEPOST_BUYER_KEY")?,
        seller: connect("TRADEPOST_BASE_URL", "TRADEPOST_SELLER_KEY")?,
        listing: env::var("TRADEPOST_LISTING_ID")?,
    };
    report("lists orders by status and follows the cursor", &job.follow_cursor().await);
    report("creates one order for two requests with one idempotency key", &job.create_once().await);
    report("updates an order with If-Match", &job.update_if_match().await);
    report("gets a typed 412 for a stale ETag", &job.update_if_stale().await);
    report("verifies a delivery to a webhook that it registered", &job.verify_delivery().await);
    report("lists notifications and marks one as read", &job.mark_read().await);
    report("lists events with typed data", &job.read_events().await);
    report("stages and promotes a secret", &job.rotate_secret().await);
    report("sends a test event, and lists, gets and replays its delivery", &job.test_and_replay().await);
    report("gets a typed 404", &job.not_found().await);
    report("gets a typed 422 with the invalid fields", &job.invalid().await);
    Ok(())
}
