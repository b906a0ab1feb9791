import { createHmac } from 'node:crypto';
import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import type { Agent } from 'undici';
import type { TradingAccounts } from './trading-accounts';

/** An endpoint for a bare client. */
export interface Target {
  origin: string;
  path: string;
  /** The complete text, the key of `Service-Signature`. */
  secret: string;
  /** The decoded bytes, the key of `webhook-signature`. */
  key: Buffer;
}

/** Creates the target for a webhook. */
export function createTarget({ url, secret }: TradingAccounts['webhooks'][number]): Target {
  const { origin, pathname: path } = new URL(url);
  return { origin, path, secret, key: Buffer.from(secret.slice('whsec_'.length), 'base64') };
}

/**
 * Posts an event with the least work that a sender can do: both signatures, the headers of a delivery, and a
 * complete response. The engine is compared with it.
 */
export async function signedPost(
  agent: Agent,
  { origin, path, secret, key }: Target,
  eventId: string,
  body: string,
): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000);
  const standard = createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`);
  const response = await agent.request({
    origin,
    path,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Tradepost/0.0.0',
      [names.signature]: createHmac('sha256', secret).update(body).digest('hex'),
      [names.webhookId]: eventId,
      [names.webhookTimestamp]: String(seconds),
      [names.webhookSignature]: `v1,${standard.digest('base64')}`,
    },
    body,
  });
  await response.body.dump();
  if (response.statusCode !== 204)
    throw new Error(`The receiver responded ${response.statusCode}.`);
}
