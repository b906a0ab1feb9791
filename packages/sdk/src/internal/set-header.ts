import { idempotencyKey } from './header-names';
import { invalidConfiguration } from './invalid-configuration';

/**
 * Sets a header of a request, after the checks that `Headers` would make, which costs more than the rest
 * of the request together.
 *
 * @throws {TradepostError} `invalid_configuration` when it cannot be sent.
 */
export function setHeader(headers: Record<string, string>, name: string, value: string): void {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw invalidConfiguration(
      `The header ${JSON.stringify(name)} cannot be sent: it holds a character that HTTP does not allow.`,
    );
  }
  const lowerCaseName = name.toLowerCase();
  // An empty one would be no key: the repetition of a POST would be a second one.
  if (lowerCaseName === idempotencyKey && !/^[\x21-\x7e]{1,255}$/.test(value)) {
    throw invalidConfiguration(
      `The header ${JSON.stringify(name)} cannot be sent: an idempotency key is 1 to 255 visible ASCII characters. Leave it out to have one made.`,
    );
  }
  headers[lowerCaseName] = String(value);
}
