//! How a receiver in Rust verifies a delivery: over the raw body, before it parses it.

use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use sha2::Sha256;
use standardwebhooks::Webhook;
use subtle::ConstantTimeEq;

/// Whether `Service-Signature` is right. Its key is the whole text of the secret, with `whsec_`.
pub fn has_service_signature(secret: &str, headers: &HeaderMap, body: &[u8]) -> bool {
    let Some(received) = headers.get("Service-Signature") else {
        return false;
    };
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(body);
    let expected = hex::encode(mac.finalize().into_bytes());
    expected.as_bytes().ct_eq(received.as_bytes()).into()
}

/// Whether the Standard Webhooks library accepts a delivery: its ID, its timestamp and its body.
pub fn has_webhook_signature(secret: &str, headers: &HeaderMap, body: &[u8]) -> bool {
    Webhook::new(secret).is_ok_and(|webhook| webhook.verify(body, headers).is_ok())
}
