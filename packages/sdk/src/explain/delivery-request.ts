import { deliveryHeaderNames } from '@tradepost/contract/wire';
import type { DeliveryDetails } from '@tradepost/sdk';
import { signDelivery } from '../testing/sign-delivery';
import { toCommand } from './shell-command';

/** A request that delivers an event: a POST. */
export interface DeliveryRequest {
  url: string;
  /** Headers by name, without those that follow from the rest, such as `Content-Length`. */
  headers: Record<string, string>;
  /** The signed body. */
  body: string;
}

/** How to sign a delivery again. */
export interface SignAgainOptions {
  /** The signing secret, including `whsec_`. */
  secret: string;
  /** Where to send a delivery that had no attempt: the URL of its webhook. */
  url?: string | undefined;
  /** The time of the signature. @default Date.now() */
  now?: Date | number | undefined;
}

/** The headers of a delivery that was never sent. */
const defaultHeaders = { 'Content-Type': 'application/json', 'User-Agent': 'Tradepost' };

/**
 * Returns what the last attempt of a delivery sent. With a secret it is signed again, as of now: a receiver rejects an old
 * timestamp.
 *
 * @returns null without an attempt, unless `secret` and `url` are given
 * @throws {TypeError} for a secret that cannot sign
 */
export async function deliveryRequest(
  { body, eventId: id, attempts }: DeliveryDetails,
  options?: SignAgainOptions,
): Promise<DeliveryRequest | null> {
  const last = attempts.at(-1);
  if (!options) return last ? { url: last.url, headers: last.headers, body } : null;
  const { secret, now: sentAt } = options;
  const signed = await signDelivery({ body, id, secret, sentAt });
  const url = last?.url ?? options.url;
  if (url === undefined) return null;
  const headers: Record<string, string> = { ...(last?.headers ?? defaultHeaders) };
  for (const [name, value] of Object.entries(signed.headers)) {
    headers[findName(headers, name) ?? name] = value;
  }
  return { url, headers, body };
}

/**
 * Whether the last attempt was signed with a secret. If not, `verifyDelivery` of `@tradepost/sdk/webhooks` says why.
 *
 * @returns null without an attempt
 * @throws {TypeError} for a secret that cannot sign
 */
export async function wasSignedWith(
  delivery: DeliveryDetails,
  secret: string,
): Promise<boolean | null> {
  const { headers } = (await deliveryRequest(delivery)) ?? {};
  const signed = await signDelivery({ body: delivery.body, id: delivery.eventId, secret });
  if (!headers) return null;
  const { signature } = deliveryHeaderNames;
  return headers[findName(headers, signature) ?? ''] === signed.headers[signature];
}

/** Returns how a header is spelled. */
function findName(headers: object, name: string): string | undefined {
  return Object.keys(headers).find((one) => one.toLowerCase() === name.toLowerCase());
}

/** Headers that curl adds of its own. */
const curlHeaders = ['Accept', 'Content-Type', 'User-Agent', 'Expect'];

/** Systems limit the length of an argument; Linux to 131,072 bytes. */
const maxArgumentLength = 100_000;

/**
 * Returns one line for a POSIX shell that sends a request with curl, with exactly these headers and
 * bytes, and prints the response.
 *
 * @returns null for a request that cannot be one: with characters that nobody sees, a body that is too long for an
 * argument, or a URL of another protocol, which the service must not choose
 */
export function toCurl({ url, headers, body }: DeliveryRequest): string | null {
  const lines = Object.entries(headers);
  const isSendable =
    /^https?:\/\//i.test(url) &&
    lines.every(([name, value]) => /^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[ -~]*$/.test(value)) &&
    new TextEncoder().encode(body).length <= maxArgumentLength;
  if (!isSendable) return null;
  const given = new Set(lines.map(([name]) => name.toLowerCase()));
  const missing = curlHeaders.filter((name) => !given.has(name.toLowerCase()));
  const options = [
    ['--url', url],
    // `name:` would remove the header; `name;` sends it without a value.
    ...lines.map(([name, value]) => ['-H', value === '' ? `${name};` : `${name}: ${value}`]),
    ...missing.map((name) => ['-H', `${name}:`]),
    // Unlike --data, it takes a leading @ literally.
    ['--data-raw', body],
  ];
  // -q ignores ~/.curlrc, -g takes brackets in the URL literally.
  return toCommand(['curl', '-q', '-sS', '-i', '-g', '--http1.1', ...options.flat()]);
}
