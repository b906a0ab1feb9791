//! Generates the clients with progenitor. `openapi-3.0.json` is the one that it reads.

use std::{env, error::Error, fs, path::Path};

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};

/// Enumerations that later versions add values to. As text, the client accepts them.
const OPEN_ENUMERATIONS: [&str; 7] = [
    "AccountKind",
    "DeliveryState",
    "EventType",
    "NotificationType",
    "OrderStatus",
    "ProblemCode",
    "WebhookStatus",
];

fn generate(settings: &GenerationSettings, name: &str) -> Result<(), Box<dyn Error>> {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../packages/contract/openapi-3.0.json");
    println!("cargo:rerun-if-changed={}", document.display());
    println!("cargo:rerun-if-changed=build.rs");
    let specification = serde_json::from_slice(&fs::read(document)?)?;
    let tokens = Generator::new(settings).generate_tokens(&specification)?;
    let code = prettyplease::unparse(&syn::parse2(tokens)?);
    fs::write(Path::new(&env::var("OUT_DIR")?).join(name), code)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Builder);
    generate(&settings, "plain.rs")?;

    for name in OPEN_ENUMERATIONS {
        let impls = [TypeImpl::Display, TypeImpl::FromStr];
        settings.with_replacement(name, "::std::string::String", impls.into_iter());
    }
    // Of all known types of events, and of others: see job.rs.
    settings.with_replacement("AccountEvent", "crate::AnyEvent", std::iter::empty());
    generate(&settings, "client.rs")
}
