//! A receiver of deliveries on loopback. It queues each one and acknowledges it.

use std::{
    error::Error,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use http::{HeaderMap, HeaderName, HeaderValue};
use tiny_http::{Response, Server};

/// A delivery as it arrived.
pub struct Delivery {
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

pub struct Receiver {
    server: Arc<Server>,
    received: mpsc::Receiver<Delivery>,
}

impl Receiver {
    pub fn start() -> Result<Self, Box<dyn Error>> {
        let server = Arc::new(Server::http("127.0.0.1:0").map_err(|error| error.to_string())?);
        let (sender, received) = mpsc::channel();
        let listening = server.clone();
        thread::spawn(move || {
            for mut request in listening.incoming_requests() {
                let mut body = Vec::new();
                let headers = request
                    .headers()
                    .iter()
                    .filter_map(|header| {
                        let name: HeaderName = header.field.to_string().parse().ok()?;
                        Some((name, HeaderValue::from_str(header.value.as_str()).ok()?))
                    })
                    .collect();
                if request.as_reader().read_to_end(&mut body).is_ok() {
                    let _ = sender.send(Delivery { headers, body });
                    let _ = request.respond(Response::empty(204));
                }
            }
        });
        Ok(Self { server, received })
    }

    pub fn url(&self) -> String {
        format!("http://{}/deliveries", self.server.server_addr())
    }

    /// Waits for the next delivery.
    pub fn next(&self) -> Result<Delivery, mpsc::RecvTimeoutError> {
        self.received.recv_timeout(Duration::from_secs(20))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.unblock();
    }
}
