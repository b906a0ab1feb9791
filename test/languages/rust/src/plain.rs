//! What a client by progenitor, with its defaults, does with values that its document does not list.

mod report;

/// The generated client: a 400 and a range of 4XX have the same code.
#[allow(dead_code, unreachable_patterns)]
mod client {
    include!(concat!(env!("OUT_DIR"), "/plain.rs"));
}
mod newer;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    newer::report_newer().await
}
