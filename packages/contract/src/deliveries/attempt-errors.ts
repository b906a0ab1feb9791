/** What an attempt error means, and what the owner of the endpoint does about it. */
interface AttemptErrorText {
  /** What happened: one sentence. */
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
      'The attempt took more than 15 seconds in all: DNS lookup, connection, request and response.',
    action: 'Respond first and process the event afterwards.',
  },
  dns_failed: {
    summary: 'The host name has no address, or its DNS servers could not resolve it.',
    action: 'Check the host in the URL, and that public DNS servers resolve it.',
    hasDetail: true,
  },
  dns_timeout: {
    summary: 'The DNS servers of the host name did not respond within 5 seconds.',
    action: 'Check the DNS servers of the host name.',
  },
  connection_refused: {
    summary: 'Nothing listens on that port.',
    action: 'Check that the receiver is running, and that it listens on the port in the URL.',
  },
  connect_timeout: {
    summary: 'The connection, including TLS, was not established within 10 seconds.',
    action: 'Check the firewall of the receiver: a firewall that drops packets causes this.',
  },
  unreachable: {
    summary: 'There is no route to the address, or a firewall blocks it.',
    action: 'Check the address that the host name resolves to, and the firewall in front of it.',
  },
  connection_reset: {
    summary: 'The receiver closed the connection before it sent a response.',
    action: 'Check the log of the receiver, or of the proxy in front of it, for a crash.',
  },
  tls_failed: {
    summary: 'The TLS certificate is not valid, or the receiver does not speak TLS.',
    action:
      'Check that the certificate has not expired, names this host and is sent with its intermediate certificates.',
    hasDetail: true,
  },
  forbidden_address: {
    summary: 'The host is, or resolves to, an address that is not public.',
    action: 'Use a host with a public address.',
  },
  forbidden_scheme: {
    summary: 'The URL starts with http://, which the policy of the service forbids.',
    action: 'Change the URL to https://.',
  },
  forbidden_port: {
    summary: 'The URL has a port that the policy of the service forbids.',
    action: 'Use port 443 or 8443.',
  },
  malformed_response: {
    summary: 'The response is not valid HTTP/1.',
    action: 'Check that an HTTP server, and no other service, listens on that port.',
  },
  response_too_large: {
    summary: 'The response has more than 48 kB that is not body, such as too many headers.',
    action: 'Respond with a 204 and nothing else: the service only needs the status.',
  },
  response_truncated: {
    summary: 'The connection closed during the response, or the response has the wrong length.',
    action: 'Check the receiver for a crash; the status of the response counts all the same.',
  },
  socket_exhaustion: {
    summary:
      'The service had no socket or file descriptor left; this does not count as an attempt, and the service retries after a second.',
    action: 'There is nothing to do; if it continues, report it to the operator of the service.',
  },
  out_of_ports: {
    summary:
      'The service had no local port left for that address; this does not count as an attempt, and the service retries after a second.',
    action: 'There is nothing to do; if it continues, report it to the operator of the service.',
  },
  server_shutdown: {
    summary:
      'The service shut down during the attempt; this does not count as an attempt, and the service retries immediately.',
    action: 'There is nothing to do.',
  },
  unexpected: {
    summary: 'The attempt failed for a reason that has no name of its own; the detail names it.',
    action: 'Report the detail to the operator of the service.',
    hasDetail: true,
  },
} as const satisfies Record<string, AttemptErrorText>;

/** The name of an attempt error. */
export type AttemptError = keyof typeof attemptErrors;
