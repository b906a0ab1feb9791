//! Verifies the deliveries of test vectors and compares the verdicts: `verify FILE...`

mod report;
mod signatures;

use std::{collections::HashMap, env, error::Error, fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use http::HeaderMap;
use report::report;
use serde::Deserialize;

#[derive(Deserialize)]
struct VectorFile {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    secrets: Vec<String>,
    headers: HashMap<String, String>,
    body: String,
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expected {
    service_signature: bool,
    webhook_signature: bool,
}

fn compare(check: &str, accepted: bool, expected: bool) {
    let detail = format!("accepted: {accepted}, expected: {expected}");
    report(check, &if accepted == expected { Ok(detail) } else { Err(detail.into()) });
}

fn verify(file: &Path) -> Result<(), Box<dyn Error>> {
    let content: VectorFile = serde_json::from_slice(&fs::read(file)?)?;
    for Vector { name, secrets, headers, body, expected } in content.vectors {
        let headers = HeaderMap::try_from(&headers)?;
        let body = STANDARD.decode(body)?;
        // While a secret is replaced, a receiver has two, and accepts a signature of either.
        let accepted_by = |verify: fn(&str, &HeaderMap, &[u8]) -> bool| {
            secrets.iter().any(|secret| verify(secret, &headers, &body))
        };
        let name = format!("{}: {name}", file.file_name().unwrap_or_default().display());
        let service = accepted_by(signatures::has_service_signature);
        compare(&format!("{name}: Service-Signature"), service, expected.service_signature);
        let webhook = accepted_by(signatures::has_webhook_signature);
        compare(&format!("{name}: webhook-signature"), webhook, expected.webhook_signature);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    env::args().skip(1).try_for_each(|file| verify(Path::new(&file)))
}
