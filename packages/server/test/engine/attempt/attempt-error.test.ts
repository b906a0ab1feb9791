import { attemptErrors } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { toAttemptError } from '../../../src/engine/attempt/attempt-error';
import { ResponseTooLargeError } from '../../../src/engine/attempt/connection-pool';
import { ForbiddenDestinationError, LookupError } from '../../../src/engine/attempt/ssrf-guard';

const coded = (code: unknown, message = 'x') => Object.assign(new Error(message), { code });

describe('the name of an attempt error', () => {
  test.each([
    [coded('ECONNREFUSED'), 'connection_refused'],
    [coded('ECONNRESET'), 'connection_reset'],
    [coded('EPIPE'), 'connection_reset'],
    [coded('UND_ERR_SOCKET', 'other side closed'), 'connection_reset'],
    [coded('UND_ERR_SOCKET', 'bad response'), 'malformed_response'],
    [coded('UND_ERR_SOCKET', 'bad upgrade'), 'malformed_response'],
    [coded('UND_ERR_CONNECT_TIMEOUT'), 'connect_timeout'],
    [coded('ETIMEDOUT'), 'connect_timeout'],
    [coded('EHOSTUNREACH'), 'unreachable'],
    [coded('ENETUNREACH'), 'unreachable'],
    [coded('EMFILE'), 'socket_exhaustion'],
    [coded('EADDRNOTAVAIL'), 'out_of_ports'],
    [coded('UND_ERR_HEADERS_OVERFLOW'), 'response_too_large'],
    [coded('UND_ERR_DESTROYED'), 'server_shutdown'],
    [coded('CERT_HAS_EXPIRED'), 'tls_failed (CERT_HAS_EXPIRED)'],
    [coded('SELF_SIGNED_CERT_IN_CHAIN'), 'tls_failed (SELF_SIGNED_CERT_IN_CHAIN)'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls_failed (ERR_TLS_CERT_ALTNAME_INVALID)'],
    [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls_failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
    [new LookupError('receiver.test', 'ENOTFOUND'), 'dns_failed (ENOTFOUND)'],
    [new LookupError('receiver.test', 'ETIMEOUT'), 'dns_timeout'],
    [new ForbiddenDestinationError('FORBIDDEN_ADDRESS', '10.0.0.1'), 'forbidden_address'],
    [new ForbiddenDestinationError('FORBIDDEN_SCHEME', 'http://a'), 'forbidden_scheme'],
    [new ForbiddenDestinationError('FORBIDDEN_PORT', 'https://a:22'), 'forbidden_port'],
    [new ResponseTooLargeError(), 'response_too_large'],
    [new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]), 'connection_refused'],
    [new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]), 'connection_refused'],
    [new AggregateError([coded('EADDRNOTAVAIL'), coded('ETIMEDOUT')]), 'connect_timeout'],
    [new AggregateError([coded('ENETUNREACH'), coded('EHOSTUNREACH')]), 'unreachable'],
    [coded('EWHATEVER'), 'unexpected (EWHATEVER)'],
    [coded(7), 'unexpected (Error)'],
    [new RangeError('x'), 'unexpected (RangeError)'],
    ['no error at all', 'unexpected'],
    [undefined, 'unexpected'],
  ])('is given for %o: %s', (error, name) => {
    expect(toAttemptError(error)).toBe(name);
  });

  test('is in the contract exactly if it has a detail', () => {
    const detailed = Object.entries(attemptErrors).filter(([, error]) => 'hasDetail' in error);
    expect(detailed.map(([name]) => name)).toEqual(['dns_failed', 'tls_failed', 'unexpected']);
  });
});
