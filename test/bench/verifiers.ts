import { createHmac, timingSafeEqual } from 'node:crypto';
import { verify as verifyHub } from '@octokit/webhooks-methods';
import { verifyWebhook, verifyWebhookSync } from '@tradepost/sdk/webhooks';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { key, type SignedDelivery, secret } from './signed-delivery';

/** Verifies a delivery and returns its event, or throws. */
type Verifier = (delivery: SignedDelivery) => unknown;

const tolerance = 300;
// Created once, as these verifiers are meant to be used.
const standard = new StandardWebhook(secret);
const svix = new SvixWebhook(secret);

function isMade(written: Buffer, given: Buffer): boolean {
  return written.length === given.length && timingSafeEqual(written, given);
}

/** The minimum for a receiver: one HMAC, compared in constant time, and the parsed body. */
function raw({ body, signature }: SignedDelivery): unknown {
  const written = createHmac('sha256', secret).update(body).digest();
  if (!isMade(written, Buffer.from(signature, 'hex'))) throw new Error('Forged.');
  return JSON.parse(body.toString());
}

/** The minimum for a receiver that also rejects replays: both HMACs and the timestamp. */
function rawBoth({ body, allHeaders: headers }: SignedDelivery): unknown {
  const {
    'service-signature': signature = '',
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': signatures = '',
  } = headers;
  const written = createHmac('sha256', secret).update(body).digest();
  if (!isMade(written, Buffer.from(signature, 'hex'))) throw new Error('Forged.');
  const stamped = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  if (!isMade(stamped, Buffer.from(signatures.slice('v1,'.length), 'base64'))) {
    throw new Error('Forged.');
  }
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= tolerance)) throw new Error('Replayed.');
  return JSON.parse(body.toString());
}

/** Those that return the event itself, by name. */
export const syncVerifiers = {
  raw,
  rawBoth,
  oursBySignature: ({ body, signature }) => verifyWebhookSync({ payload: body, signature, secret }),
  oursByHeaders: ({ body, headers }) => verifyWebhookSync({ payload: body, headers, secret }),
  oursBoth: ({ body, allHeaders: headers }) =>
    verifyWebhookSync({ payload: body, headers, secret, requireTimestamp: true }),
  stripe: ({ body, stripeSignature }) =>
    Stripe.webhooks.constructEvent(body, stripeSignature, secret),
  standardwebhooks: ({ body, standardHeaders }) => standard.verify(body, standardHeaders),
  svix: ({ body, svixHeaders }) => svix.verify(body, svixHeaders),
} satisfies Record<string, Verifier>;

/** Those that return a promise of the event, by name. */
export const asyncVerifiers = {
  oursAwaited: ({ body, headers }) => verifyWebhook({ payload: body, headers, secret }),
  octokit: async ({ body, hubSignature }) => {
    const text = body.toString();
    if (!(await verifyHub(secret, text, hubSignature))) throw new Error('Forged.');
    return JSON.parse(text) as unknown;
  },
} satisfies Record<string, (delivery: SignedDelivery) => Promise<unknown>>;

/** The name of a verifier. */
export type VerifierName = keyof typeof syncVerifiers | keyof typeof asyncVerifiers;
