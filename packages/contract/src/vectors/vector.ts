import { createHash, createHmac } from 'node:crypto';
import { positionHead } from '../deliveries/position';

/** A delivery to verify, and the verdict. Everything is fixed, also the time. */
export interface Vector {
  /** What is special about the delivery. */
  name: string;
  /** The signing secrets that the receiver has: one, or two while one replaces the other. */
  secrets: string[];
  /** Whether the receiver rejects deliveries without the Standard Webhooks headers. */
  requireTimestamp: boolean;
  /** The headers of the delivery that matter, in their documented spelling. */
  headers: Record<string, string>;
  /** The raw body, in base64. */
  body: string;
  /** What the receiver must find. */
  expected: Verdict;
}

/** What a receiver must find in a delivery. */
export interface Verdict {
  /** Whether `Service-Signature` is right for one of the secrets. */
  serviceSignature: boolean;
  /** Whether `webhook-signature` is right for one of the secrets and the timestamp is within the tolerance. */
  webhookSignature: boolean;
  /** Whether the receiver must accept the delivery: what it requires is right, and the body is an event. */
  accept: boolean;
  /** Why it must be rejected: the `code` of `verifyWebhook` without diagnosis. Null when it is accepted. */
  code: string | null;
  /** The verdict in words. */
  reason: string;
}

/** A file of vectors. */
export interface VectorFile {
  /** What the vectors of the file are about. */
  description: string;
  /** The time of the verification, in seconds since 1970. */
  now: number;
  /** How far `webhook-timestamp` may be from `now`, in seconds, both bounds inclusive. */
  toleranceSeconds: number;
  /** The vectors. */
  vectors: Vector[];
}

/** The time of all verifications: 2026-11-21T09:30:00Z. */
export const now = 1_795_253_400;

/** The default tolerance of Standard Webhooks. */
export const toleranceSeconds = 300;

function createSecret(name: string): string {
  return `whsec_${createHash('sha256').update(name).digest('base64')}`;
}

/** The secrets of the vectors. Never use them for a real webhook. */
export const secrets = {
  current: createSecret('the current secret of the test vectors'),
  next: createSecret('the next secret of the test vectors'),
  other: createSecret('the secret of another webhook'),
};

/** The key of `webhook-signature`: the bytes that follow `whsec_` as base64. */
export function decodeSecret(secret: string): Buffer {
  return Buffer.from(secret.slice('whsec_'.length), 'base64');
}

function hmac(key: string | Buffer, message: Buffer): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

/** Computes `Service-Signature`: the key is the whole text of the secret. */
export function signService(key: string | Buffer, body: Buffer): string {
  return hmac(key, body).toString('hex');
}

/** Computes one signature of `webhook-signature`. */
export function signStandard(
  key: string | Buffer,
  id: string,
  timestamp: string | number,
  body: Buffer,
): string {
  const message = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return `v1,${hmac(key, message).toString('base64')}`;
}

/** The ID of the event of every vector. */
export const eventId = 'evt_01KAJ8Q0V7T3M5X9R2C4D6F8GH';

/** Signs a delivery as the service does. */
export function signHeaders(
  body: Buffer,
  { secret = secrets.current, timestamp = now as number | string } = {},
): Record<string, string> {
  return {
    'Service-Signature': signService(secret, body),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signStandard(decodeSecret(secret), eventId, timestamp, body),
  };
}

/** Returns the headers of a position, signed with each secret. */
export function signPosition(
  body: Buffer,
  position: string,
  signers: readonly string[] = [secrets.current],
): Record<string, string> {
  const message = Buffer.concat([Buffer.from(positionHead(eventId, now, position)), body]);
  return {
    'Tradepost-Position': position,
    'Tradepost-Position-Signature': signers.map((one) => signService(one, message)).join(' '),
  };
}

/** Builds a vector of a receiver with the current secret that requires all headers, unless `given` says otherwise. */
export function createVector(
  name: string,
  given: {
    body: Buffer;
    headers: Record<string, string>;
    expected: Verdict;
    secrets?: string[];
    requireTimestamp?: boolean;
  },
): Vector {
  return {
    name,
    secrets: given.secrets ?? [secrets.current],
    requireTimestamp: given.requireTimestamp ?? true,
    headers: given.headers,
    body: given.body.toString('base64'),
    expected: given.expected,
  };
}

/** The verdict on a genuine delivery. */
export function accepted(reason: string): Verdict {
  return { serviceSignature: true, webhookSignature: true, accept: true, code: null, reason };
}

/** The verdict on a delivery of which one or both signatures are wrong, or whose body is not an event. */
export function rejected(
  code: string,
  reason: string,
  found: Pick<Verdict, 'serviceSignature' | 'webhookSignature'> = {
    serviceSignature: false,
    webhookSignature: false,
  },
): Verdict {
  return { ...found, accept: false, code, reason };
}
