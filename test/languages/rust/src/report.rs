//! Reports each check as a line of JSON, which the tests read.

use std::error::Error;

/// What a check returns: a detail, or why it failed.
pub type Outcome = Result<String, Box<dyn Error>>;

/// Prints the result of a check.
pub fn report(check: &str, outcome: &Outcome) {
    let (ok, detail) = match outcome {
        Ok(detail) => (true, detail.clone()),
        Err(error) => (false, format!("{error} {error:?}")),
    };
    println!("{}", serde_json::json!({ "check": check, "ok": ok, "detail": detail }));
}
