import { createHmac } from 'node:crypto';
import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import type { Agent } from 'undici';
import type { Trade } from './trade';

/** An endpoint as a bare client knows it. */
export interface Target {
  origin: string;
  path: string;
  /** The whole text, which keys `Service-Signature`. */
  secret: string;
  /** The bytes it stands for, which key `webhook-signature`. */
  key: Buffer;
}

/** What a bare client has to know of a webhook. */
export function targetOf({ url, secret }: Trade['webhooks'][number]): Target {
  const { origin, pathname: path } = new URL(url);
  return { origin, path, secret, key: Buffer.from(secret.slice('whsec_'.length), 'base64') };
}

/**
 * Posts an event as little as a sender can: signed in both ways, with the headers that deliveries have,
 * and no longer than until the answer is whole. It is what the engine is compared with.
 */
export async function signedPost(
  agent: Agent,
  { origin, path, secret, key }: Target,
  eventId: string,
  body: string,
): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000);
  const standard = createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`);
  const answer = await agent.request({
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
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`The receiver answered ${answer.statusCode}.`);
}
