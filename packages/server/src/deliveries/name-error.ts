import { isIPv6 } from 'node:net';

/**
 * Every name that the `error` of an attempt can have, with what it means. Those that `…` ends are followed by
 * a detail in brackets, such as `tls_failed (CERT_HAS_EXPIRED)`.
 */
export const attemptErrors = {
  timeout: 'It took more than 15 s in all: lookup, connection, request and answer.',
  dns_failed: 'The name has no address, or its DNS servers say that they cannot tell. …',
  dns_timeout: 'The DNS servers of the name did not answer within 5 s.',
  connection_refused: 'Nothing listens on that port.',
  connect_timeout: 'No connection, TLS included, came about within 10 s.',
  unreachable: 'There is no route to the address, or a firewall is in the way.',
  connection_reset: 'The receiver ended the connection before it began to answer.',
  tls_failed: 'The certificate does not verify, or the receiver speaks no TLS. …',
  forbidden_address: 'The host is, or its name leads to, an address that is not public.',
  forbidden_scheme: 'The URL begins with http://, which the policy of this server forbids.',
  forbidden_port: 'The URL names a port that the policy of this server forbids.',
  malformed_answer: 'What came back is no HTTP/1 answer.',
  answer_too_large: 'More than 48 kB came, and most of that was no body: headers without end, say.',
  answer_cut_short:
    'The connection ended in the midst of the answer, or its length is not what it says. Its status counts.',
  out_of_sockets:
    'This server had no socket or file descriptor left. Not an attempt: due again in a second.',
  out_of_ports:
    'This server had no port left to connect to that address from. Not an attempt: due again in a second.',
  stopped: 'This server stopped. Not an attempt: due again at once.',
  unexpected: 'Something that has no name here; the detail is what the system calls it. …',
} as const;

/** One of the names. */
export type AttemptError = keyof typeof attemptErrors;

const byCode: Record<string, AttemptError> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  EMFILE: 'out_of_sockets',
  ENFILE: 'out_of_sockets',
  EADDRNOTAVAIL: 'out_of_ports',
  ENOBUFS: 'out_of_sockets',
  ENOMEM: 'out_of_sockets',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer_cut_short',
  UND_ERR_DESTROYED: 'stopped',
  DNS_FAILED: 'dns_failed',
  DNS_TIMEOUT: 'dns_timeout',
  FORBIDDEN_ADDRESS: 'forbidden_address',
  FORBIDDEN_SCHEME: 'forbidden_scheme',
  FORBIDDEN_PORT: 'forbidden_port',
  ANSWER_TOO_LARGE: 'answer_too_large',
  UND_ERR_HEADERS_OVERFLOW: 'answer_too_large',
};

// What OpenSSL and Node call a certificate or a handshake that fails. Source: Node, "X509 certificate error codes".
const tlsCode =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERROR_IN_|HOSTNAME_|INVALID_(CA|PURPOSE)|PATH_LENGTH)/;

function textOf(error: Error, property: 'code' | 'detail'): string {
  const value: unknown = property in error ? Reflect.get(error, property) : '';
  return typeof value === 'string' ? value : '';
}

/** Of several addresses the one that failed for another reason says most, then the one that was never tried. */
const saysLittle: readonly string[] = ['out_of_sockets', 'out_of_ports', 'unreachable'];

/** A machine without IPv6 has no address to connect from to one of IPv6: that is no shortage. */
function isWithoutIpv6(error: Error, code: string): boolean {
  return code === 'EADDRNOTAVAIL' && 'address' in error && isIPv6(String(error.address));
}

/**
 * Names what kept an attempt from its answer, in words that an operator can look up in `attemptErrors`.
 *
 * @param answered Whether a status had come by then.
 */
export function nameError(error: unknown, answered = false): string {
  if (!(error instanceof Error)) return 'unexpected';
  if (error instanceof AggregateError) {
    const names = error.errors.map((one) => nameError(one, answered));
    const most = names.find((name) => !saysLittle.includes(name));
    return most ?? saysLittle.find((name) => names.includes(name)) ?? 'unexpected';
  }
  if (error.name === 'HTTPParserError') return 'malformed_answer';
  // An answer to what was never asked, and a protocol that was never agreed to.
  if (/^bad (response|upgrade)$/.test(error.message)) return 'malformed_answer';
  const code = textOf(error, 'code');
  if (tlsCode.test(code)) return `tls_failed (${code})`;
  if (isWithoutIpv6(error, code)) return 'unreachable';
  const name = byCode[code];
  if (name === undefined) return `unexpected (${code === '' ? error.name : code})`;
  if (name === 'dns_failed') return `${name} (${textOf(error, 'detail')})`;
  if (name === 'connection_reset' && answered) return 'answer_cut_short';
  if (name === 'answer_cut_short' && !answered) return 'malformed_answer';
  return name;
}
