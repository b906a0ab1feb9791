import type { ZodObject, ZodType } from 'zod';
import type { Protocol } from './tool';

/** Creates the schemas of results. A newer service may send more fields and values. */
export function createOutputs({ array, boolean, int, looseObject, string }: Protocol) {
  const text = string();
  const textOrNull = text.nullable();
  const texts = <const Name extends string>(...names: Name[]) =>
    Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>;
  const order = looseObject({
    ...texts('id', 'status', 'buyerId', 'sellerId', 'listingId', 'createdAt', 'updatedAt'),
    agentId: textOrNull,
    quantity: int(),
    buyerName: text.optional(),
    sellerName: text.optional(),
    agentName: textOrNull.optional(),
    listingTitle: textOrNull.optional(),
  });
  const notification = looseObject({
    ...texts('id', 'type', 'orderId', 'message', 'createdAt'),
    read: boolean(),
  });
  const event = looseObject({ ...texts('id', 'event', 'createdAt'), data: looseObject({}) });
  const webhook = looseObject({
    ...texts('id', 'url', 'status', 'createdAt', 'updatedAt'),
    events: array(text),
    pendingDeliveries: int(),
    consecutiveFailures: int(),
    backoffUntil: textOrNull,
  });
  const stats = looseObject({
    delivered: int(),
    failed: int(),
    attempts: looseObject({}),
    latencyMs: looseObject({ mean: int(), p50: int(), p95: int() }).nullable(),
  });
  const delivery = looseObject({
    ...texts('id', 'webhookId', 'eventId', 'event', 'state', 'createdAt', 'deadlineAt'),
    attemptCount: int(),
    lastStatus: int().nullable(),
    lastError: textOrNull,
    nextAttemptAt: textOrNull,
    finishedAt: textOrNull,
  });
  const timeline = looseObject({
    entries: array(
      looseObject({
        change: looseObject({ from: textOrNull, to: text, reason: textOrNull }).nullable(),
        event: looseObject(texts('id', 'type', 'createdAt')),
        notification: looseObject({ id: text, read: boolean() }).nullable(),
        deliveries: array(delivery),
      }),
    ),
    prunedBefore: textOrNull,
  });
  const counted = looseObject({ count: int(), atLeast: boolean() });
  const summary = looseObject({
    asOf: text,
    orders: looseObject({
      pending: counted,
      confirmed: counted,
      fulfilling: counted,
      completed: counted,
      cancelled: counted,
    }),
    unread: counted,
    webhooks: looseObject({ active: int(), paused: int(), disabled: int(), backoff: int() }),
  });
  const page = (item: ZodType): ZodObject =>
    looseObject({ data: array(item), nextCursor: textOrNull, note: text.optional() });
  const change = looseObject({
    ...texts('id', 'before', 'after'),
    changed: boolean().describe('whether this call made the change'),
  });
  return { order, notification, event, webhook, stats, delivery, timeline, summary, page, change };
}

export type Outputs = ReturnType<typeof createOutputs>;
