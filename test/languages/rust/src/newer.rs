//! Reads what a later version of the service responds.

use std::{env, error::Error};

use reqwest::header::{AUTHORIZATION, HeaderMap};

use crate::{client::Client, report::report};

/// Connects to a service with an API key. The generated client has no options for authentication.
pub fn connect(url_variable: &str, key_variable: &str) -> Result<Client, Box<dyn Error>> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {}", env::var(key_variable)?).parse()?);
    let client = reqwest::Client::builder().default_headers(headers).build()?;
    Ok(Client::new_with_client(&env::var(url_variable)?, client))
}

/// Reports what the client does with values that its document does not list.
pub async fn report_newer() -> Result<(), Box<dyn Error>> {
    let client = connect("TRADEPOST_NEWER_BASE_URL", "TRADEPOST_BUYER_KEY")?;
    let order = client.get_order().id(env::var("TRADEPOST_ORDER_ID")?).send().await;
    let status = order.map(|order| order.into_inner().data.status.to_string());
    report("reads an order with a new field", &status.map_err(Into::into));

    let orders = client.list_orders().send().await;
    let status = orders.map(|page| page.into_inner().data[0].status.to_string());
    report("lists orders of which one has an unknown status", &status.map_err(Into::into));

    let events = client.list_events().send().await;
    let event = events.map(|page| format!("{:?}", page.into_inner().data[0]));
    report("lists events of which one has an unknown type", &event.map_err(Into::into));
    Ok(())
}
