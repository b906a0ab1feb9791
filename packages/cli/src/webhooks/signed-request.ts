import type { DeliveryDetails } from '@tradepost/sdk';
import type { OutgoingRequest } from './curl-line';
import { signedBy } from './signed-by';

/** What a delivery is sent with when it was never sent. */
const usualHeaders = { 'Content-Type': 'application/json', 'User-Agent': 'Tradepost' };

/** The last attempt of a delivery as it went out; null when there was none. */
export function lastRequest({ attemptLog, body }: DeliveryDetails): OutgoingRequest | null {
  const last = attemptLog.at(-1);
  return last === undefined ? null : { url: last.url, headers: last.headers, body };
}

/**
 * A delivery as it would go out now, signed with a secret: a receiver takes it as fresh.
 *
 * @param url where to, when there was no attempt yet
 * @param now milliseconds since 1970
 * @throws {CliError} `usage` for a secret that cannot sign.
 */
export async function freshRequest(
  delivery: DeliveryDetails,
  { url, secret, now }: { url: string; secret: string; now: number },
): Promise<OutgoingRequest> {
  const { body, eventId: id } = delivery;
  const last = lastRequest(delivery);
  const headers: Record<string, string> = { ...(last?.headers ?? usualHeaders) };
  const signed = await signedBy({ body, id, secret, sentAt: now });
  for (const [name, value] of Object.entries(signed.headers)) {
    const known = Object.keys(headers).find((one) => one.toLowerCase() === name.toLowerCase());
    headers[known ?? name] = value;
  }
  return { url: last?.url ?? url, headers, body };
}

/** Whether a secret is the one that the last attempt was signed with; null when there was none. */
export async function isSignedWith(
  delivery: DeliveryDetails,
  secret: string,
): Promise<boolean | null> {
  const last = lastRequest(delivery);
  if (last === null) return null;
  const { body, eventId: id } = delivery;
  const signed = await signedBy({ body, id, secret });
  return signatureOf(last.headers) === signatureOf(signed.headers);
}

/** The value of `Service-Signature`, however its name is spelt. */
function signatureOf(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'service-signature')?.[1];
}
