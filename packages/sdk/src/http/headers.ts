import type { headerNames } from '@tradepost/contract/wire';
import { invalidConfiguration } from '../errors';

/** A header of the contract, in the lower case of `Headers`. */
type Name<Key extends keyof typeof headerNames> = Lowercase<(typeof headerNames)[Key]>;

// Literals checked against the contract by their types: importing its table would add to the bundle.
export const authorization: Name<'authorization'> = 'authorization';
export const idempotency: Name<'idempotency'> = 'tradepost-idempotency';
export const idempotencyKey: Name<'idempotencyKey'> = 'idempotency-key';
export const ifMatch: Name<'ifMatch'> = 'if-match';
export const location: Name<'location'> = 'location';
export const requestId: Name<'requestId'> = 'x-request-id';

/**
 * Sets a header of a request, after the checks that `Headers` would make. A `Headers` object would cost more
 * than the rest of the request together.
 *
 * @throws {TradepostError} `invalid_configuration` when the header is not valid.
 */
export function setHeader(headers: Record<string, string>, name: string, value: string): void {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw invalidConfiguration(
      `The header ${JSON.stringify(name)} cannot be sent: it has a character that HTTP does not allow.`,
    );
  }
  const lowerCaseName = name.toLowerCase();
  // With an empty key, the retry of a POST would create a second resource.
  if (lowerCaseName === idempotencyKey && !/^[\x21-\x7e]{1,255}$/.test(value)) {
    throw invalidConfiguration(
      `The header ${JSON.stringify(name)} cannot be sent: an idempotency key is 1 to 255 visible ASCII characters. Leave it out to use a random one.`,
    );
  }
  headers[lowerCaseName] = String(value);
}
