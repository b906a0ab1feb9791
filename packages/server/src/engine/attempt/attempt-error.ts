import { isIPv6 } from 'node:net';
import type { AttemptError } from '@tradepost/contract';

const errorsByCode: Record<string, AttemptError> = {
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
  EMFILE: 'socket_exhaustion',
  ENFILE: 'socket_exhaustion',
  EADDRNOTAVAIL: 'out_of_ports',
  ENOBUFS: 'socket_exhaustion',
  ENOMEM: 'socket_exhaustion',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'response_truncated',
  UND_ERR_DESTROYED: 'server_shutdown',
  DNS_FAILED: 'dns_failed',
  DNS_TIMEOUT: 'dns_timeout',
  FORBIDDEN_ADDRESS: 'forbidden_address',
  FORBIDDEN_SCHEME: 'forbidden_scheme',
  FORBIDDEN_PORT: 'forbidden_port',
  RESPONSE_TOO_LARGE: 'response_too_large',
  UND_ERR_HEADERS_OVERFLOW: 'response_too_large',
};

// The codes of OpenSSL and Node for invalid certificates and failed handshakes. Source: Node, "X509 certificate error codes".
const tlsErrorPattern =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERROR_IN_|HOSTNAME_|INVALID_(CA|PURPOSE)|PATH_LENGTH)/;

function getErrorText(error: Error, property: 'code' | 'detail'): string {
  const value: unknown = property in error ? Reflect.get(error, property) : '';
  return typeof value === 'string' ? value : '';
}

/** With several addresses, an error that is not in this list says most; after that, the first in this list. */
const vagueErrors: readonly string[] = ['socket_exhaustion', 'out_of_ports', 'unreachable'];

/** A machine without IPv6 has no local address for IPv6 connections, which is not a shortage of ports. */
function isWithoutIpv6(error: Error, code: string): boolean {
  return code === 'EADDRNOTAVAIL' && 'address' in error && isIPv6(String(error.address));
}

/**
 * Converts an error to its name in the contract's `attemptErrors`, with a detail if there is one.
 *
 * @param hasStatus Whether a response status had arrived.
 */
export function toAttemptError(error: unknown, hasStatus = false): string {
  if (!(error instanceof Error)) return 'unexpected';
  if (error instanceof AggregateError) {
    const names = error.errors.map((inner) => toAttemptError(inner, hasStatus));
    const specific = names.find((name) => !vagueErrors.includes(name));
    return specific ?? vagueErrors.find((name) => names.includes(name)) ?? 'unexpected';
  }
  if (error.name === 'HTTPParserError') return 'malformed_response';
  // A response without a request, and an upgrade that was not requested.
  if (/^bad (response|upgrade)$/.test(error.message)) return 'malformed_response';
  const code = getErrorText(error, 'code');
  if (tlsErrorPattern.test(code)) return `tls_failed (${code})`;
  if (isWithoutIpv6(error, code)) return 'unreachable';
  const name = errorsByCode[code];
  if (name === undefined) return `unexpected (${code === '' ? error.name : code})`;
  if (name === 'dns_failed') return `${name} (${getErrorText(error, 'detail')})`;
  if (name === 'connection_reset' && hasStatus) return 'response_truncated';
  if (name === 'response_truncated' && !hasStatus) return 'malformed_response';
  return name;
}
