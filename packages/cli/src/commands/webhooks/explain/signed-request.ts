import type { DeliveryDetails } from '@tradepost/sdk';
import { escapeControlChars } from '../../../output/text';
import { quoteWord } from '../../../report/hint';
import { signDelivery } from '../secret';

export interface OutgoingRequest {
  url: string;
  /** Headers by name, without those that follow from the rest. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The headers of a delivery that was never sent. */
const defaultHeaders = { 'Content-Type': 'application/json', 'User-Agent': 'Tradepost' };

/** Returns the last attempt of a delivery; null if there was none. */
export function lastRequest({ attempts, body }: DeliveryDetails): OutgoingRequest | null {
  const last = attempts.at(-1);
  return last === undefined ? null : { url: last.url, headers: last.headers, body };
}

/**
 * Signs a delivery again, as of now, so that a receiver accepts its timestamp.
 *
 * @param url where to send it if there was no attempt
 * @param now milliseconds since 1970
 * @throws {CliError} `usage` for an invalid secret
 */
export async function freshRequest(
  delivery: DeliveryDetails,
  { url, secret, now }: { url: string; secret: string; now: number },
): Promise<OutgoingRequest> {
  const { body, eventId: id } = delivery;
  const last = lastRequest(delivery);
  const headers: Record<string, string> = { ...(last?.headers ?? defaultHeaders) };
  const signed = await signDelivery({ body, id, secret, sentAt: now });
  for (const [name, value] of Object.entries(signed.headers)) {
    const known = Object.keys(headers).find((one) => one.toLowerCase() === name.toLowerCase());
    headers[known ?? name] = value;
  }
  return { url: last?.url ?? url, headers, body };
}

/** Whether the last attempt was signed with a secret; null if there was none. */
export async function isSignedWith(
  delivery: DeliveryDetails,
  secret: string,
): Promise<boolean | null> {
  const last = lastRequest(delivery);
  if (last === null) return null;
  const { body, eventId: id } = delivery;
  const signed = await signDelivery({ body, id, secret });
  return getSignature(last.headers) === getSignature(signed.headers);
}

/** Returns the value of `Service-Signature`. */
export function getSignature(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'service-signature')?.[1];
}

const curlHeaders = ['Accept', 'Content-Type', 'User-Agent', 'Expect'];

/** Systems limit the length of an argument; Linux to 131,072 bytes. */
const maxArgumentLength = 100_000;

/** curl supports `file:` and other protocols: the service must not choose them. */
function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/**
 * Returns one line for a POSIX shell that sends a request with curl, with exactly these headers and
 * bytes, and prints the response.
 *
 * @returns null for a request that cannot be one: with control characters, or a body that is too long for an argument
 */
export function curlCommand({ url, headers, body }: OutgoingRequest): string | null {
  const lines = Object.entries(headers);
  const isSendable =
    isWebUrl(url) &&
    lines.every(([name, value]) => /^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[ -~]*$/.test(value)) &&
    [url, body].every((text) => escapeControlChars(text) === text) &&
    Buffer.byteLength(body) <= maxArgumentLength;
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
  const words = options.flatMap(([option = '', value = '']) => [option, quoteWord(value)]);
  // -q ignores ~/.curlrc, -g takes brackets in the URL literally.
  return ['curl -q -sS -i -g --http1.1', ...words].join(' ');
}
