import { createIdGenerator } from '@tradepost/server';
import { Agent } from 'undici';
import { createTarget, signedPost } from './signed-post';
import { orderCreatedBody, type TradingAccounts } from './trading-accounts';

/** A delivery as the job of another queue. */
export interface QueuedPost {
  /** The place of its webhook among the seller's. */
  webhook: number;
  eventId: string;
  body: string;
}

/** What a queue is filled with. */
export interface QueueContent {
  /** The URL of the database. */
  url: string;
  trade: TradingAccounts;
  deliveries: number;
  /** How many deliveries are one job, whose payload is an array. Only in graphile-worker. Defaults to each being a job. */
  perJob?: number;
}

/** What a program works on. */
export interface QueueWork<Settings> {
  /** The URL of the database. */
  url: string;
  trade: TradingAccounts;
  settings: Settings;
}

/** The operations of a program that uses another queue. */
export type JobQueueOperations<Settings> = {
  /** Fills the queue. */
  fill(content: QueueContent): Promise<void>;
  /** Starts to deliver. Resolves when it does. */
  start(work: QueueWork<Settings>): Promise<void>;
};

/** The maximum number of connections to one endpoint: as many attempts as the server makes at once. */
const connections = 32;
/** How many jobs are added at once. */
const chunkSize = 1_000;

/** Creates the deliveries of events to every webhook, in chunks. */
export function* createPosts({ trade, deliveries }: QueueContent): Generator<QueuedPost[]> {
  const newId = createIdGenerator();
  const now = Date.now();
  let chunk: QueuedPost[] = [];
  for (let number = 0, eventId = ''; number < deliveries; number += 1) {
    const webhook = number % trade.webhooks.length;
    if (webhook === 0) eventId = newId('evt', now);
    chunk.push({ webhook, eventId, body: orderCreatedBody(trade, newId('ord', now), now) });
    if (chunk.length < chunkSize && number + 1 < deliveries) continue;
    yield chunk;
    chunk = [];
  }
}

/** Returns a function that makes a delivery. It rejects if the response is not a success. */
export function createPoster({ webhooks }: TradingAccounts): (post: QueuedPost) => Promise<void> {
  const agent = new Agent({ connections });
  const targets = webhooks.map(createTarget);
  return async ({ webhook, eventId, body }) => {
    const target = targets[webhook];
    if (target === undefined) throw new Error(`There is no webhook ${webhook}.`);
    await signedPost(agent, target, eventId, body);
  };
}
