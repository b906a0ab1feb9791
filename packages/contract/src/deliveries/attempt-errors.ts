/** What an attempt error means, and what the owner of the endpoint does about it. */
interface AttemptErrorText {
  /** What happened: a clause, without a capital and a full stop, so that it fits into a sentence. */
  summary: string;
  /** What the owner of the endpoint does: one sentence. */
  action: string;
  /** True when a detail in parentheses follows the name, such as `tls_failed (CERT_HAS_EXPIRED)`. */
  hasDetail?: boolean;
}

/**
 * Every attempt error: the names that `error` of an attempt and `lastError` of a delivery can have. A
 * detail in parentheses may follow the name, such as `tls_failed (CERT_HAS_EXPIRED)`. Later versions may
 * add names.
 */
export const attemptErrors = {
  timeout: {
    summary:
      'the attempt took more than 15 seconds in all: DNS lookup, connection, request and response',
    action: 'Respond first and process the event afterwards.',
  },
  dns_failed: {
    summary: 'the host name has no address, or its DNS servers could not resolve it',
    action: 'Check the host in the URL, and that public DNS servers resolve it.',
    hasDetail: true,
  },
  dns_timeout: {
    summary: 'the DNS servers of the host name did not respond within 5 seconds',
    action: 'Check the DNS servers of the host name.',
  },
  connection_refused: {
    summary: 'nothing listens on that port',
    action: 'Check that the receiver is running, and that it listens on the port in the URL.',
  },
  connect_timeout: {
    summary: 'the connection, including TLS, was not established within 10 seconds',
    action: 'Check the firewall of the receiver: a firewall that drops packets causes this.',
  },
  unreachable: {
    summary: 'there is no route to the address, or a firewall blocks it',
    action: 'Check the address that the host name resolves to, and the firewall in front of it.',
  },
  connection_reset: {
    summary: 'the receiver closed the connection before it sent a response',
    action: 'Check the log of the receiver, or of the proxy in front of it, for a crash.',
  },
  tls_failed: {
    summary: 'the TLS certificate is not valid, or the receiver does not speak TLS',
    action:
      'Check that the certificate has not expired, names this host and is sent with its intermediate certificates.',
    hasDetail: true,
  },
  forbidden_address: {
    summary: 'the host is, or resolves to, an address that is not public',
    action: 'Use a host with a public address.',
  },
  forbidden_scheme: {
    summary: 'the URL starts with http://, which the policy of the service forbids',
    action: 'Change the URL to https://.',
  },
  forbidden_port: {
    summary: 'the URL has a port that the policy of the service forbids',
    action: 'Use port 443 or 8443.',
  },
  malformed_response: {
    summary: 'the response is not valid HTTP/1',
    action: 'Check that an HTTP server, and no other service, listens on that port.',
  },
  response_too_large: {
    summary:
      'the response headers are too large, or the response has too much that is not body; the limit is 48 KiB',
    action: 'Respond with a 204 and nothing else: the service only needs the status.',
  },
  response_truncated: {
    summary: 'the connection closed during the response, or the response has the wrong length',
    action: 'Check the receiver for a crash; the response status still decides the outcome.',
  },
  socket_exhaustion: {
    summary:
      'the service had no socket or file descriptor left; this does not count as an attempt, and the service retries after a second',
    action: 'There is nothing to do; if it continues, report it to the operator of the service.',
  },
  out_of_ports: {
    summary:
      'the service had no local port left for that address; this does not count as an attempt, and the service retries after a second',
    action: 'There is nothing to do; if it continues, report it to the operator of the service.',
  },
  queue_limit_reached: {
    summary:
      'the account had as many pending deliveries as it may have when the event happened; there was no attempt',
    action:
      'Make the endpoints of the account accept their deliveries again, then replay this one.',
  },
  server_shutdown: {
    summary:
      'the service shut down during the attempt; this does not count as an attempt, and the service retries immediately',
    action: 'There is nothing to do.',
  },
  unexpected: {
    summary: 'the attempt failed for an unclassified reason, which the detail describes',
    action: 'Report the detail to the operator of the service.',
    hasDetail: true,
  },
} as const satisfies Record<string, AttemptErrorText>;

/** The name of an attempt error. */
export type AttemptError = keyof typeof attemptErrors;
