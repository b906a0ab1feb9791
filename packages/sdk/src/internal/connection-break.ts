/** The error at the bottom of a chain of causes: it is the one that says what happened. */
function rootOf(cause: unknown): { code?: unknown; message?: unknown; syscall?: unknown } {
  let root = cause;
  for (let depth = 0; depth < 8 && root instanceof Error; depth += 1) {
    // Several addresses were tried and each failed: the first speaks for all.
    const next: unknown = root instanceof AggregateError ? root.errors[0] : root.cause;
    if (!(next instanceof Error)) break;
    root = next;
  }
  return typeof root === 'object' && root !== null ? root : { message: String(root) };
}

/** Says in a few words why a connection broke. */
export function describeBreak(cause: unknown): string {
  const { code, message } = rootOf(cause);
  return String(message || code || 'the connection failed');
}

/** Codes of a certificate that is not accepted, and of no TLS at all. Source: Node's and OpenSSL's. */
const untrusted = /CERT(_|$)|^UNABLE_TO_|SSL_WRONG_VERSION/;

/**
 * Tells whether a connection broke before the request was sent, so that it had no effect. False
 * also when the runtime does not say, as browsers never do.
 */
export function neverSent(cause: unknown): boolean {
  const { code, message, syscall } = rootOf(cause);
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    // One that `fetch` connects to never, such as 25.
    message === 'bad port' ||
    untrusted.test(String(code))
  );
}
