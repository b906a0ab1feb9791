import { Agent } from 'undici';
import { machineTime } from './loops';
import { serveParent } from './serve-parent';
import { createTarget, signedPost } from './signed-post';
import { orderCreatedBody, type TradingAccounts } from './trading-accounts';

/** What the loop posts. */
export interface BareLoopWork {
  trade: TradingAccounts;
  posts: number;
  /** Posts in flight at once. */
  concurrency: number;
}

/** An ID without its prefix: 26 characters. */
const idEnd = '01KAJ8Q0V7T3M5X9R2C4D6F8GH';

const operations = {
  /** Posts to each webhook in turn, and returns the machine time of the last response. */
  async post({ trade, posts, concurrency }: BareLoopWork): Promise<number> {
    const agent = new Agent();
    const targets = trade.webhooks.map(createTarget);
    const body = orderCreatedBody(trade, `ord_${idEnd}`, Date.now());
    let started = 0;
    async function loop(): Promise<void> {
      while (started < posts) {
        const target = targets[started % targets.length];
        started += 1;
        if (target) await signedPost(agent, target, `evt_${idEnd}`, body);
      }
    }
    await Promise.all(Array.from({ length: concurrency }, loop));
    const ended = machineTime();
    await agent.destroy();
    return ended;
  },
};

/** The operations of this process. */
export type BareLoopOperations = typeof operations;

serveParent(operations);
