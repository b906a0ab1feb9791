import { Agent } from 'undici';
import { answerParent } from './answer-parent';
import { machineTime } from './machine-time';
import { signedPost, targetOf } from './signed-post';
import { orderCreatedBody, type Trade } from './trade';

/** What the loop posts. */
export interface BareLoopWork {
  trade: Trade;
  posts: number;
  /** Posts under way at once. */
  concurrency: number;
}

/** What an id has after its prefix: 26 characters. */
const idEnd = '01KAJ8Q0V7T3M5X9R2C4D6F8GH';

const verbs = {
  /** Posts everything, turn by turn to each webhook, and returns the machine time of the last answer. */
  async post({ trade, posts, concurrency }: BareLoopWork): Promise<number> {
    const agent = new Agent();
    const targets = trade.webhooks.map(targetOf);
    const body = orderCreatedBody(trade, `ord_${idEnd}`, Date.now());
    let begun = 0;
    async function loop(): Promise<void> {
      while (begun < posts) {
        const target = targets[begun % targets.length];
        begun += 1;
        if (target) await signedPost(agent, target, `evt_${idEnd}`, body);
      }
    }
    await Promise.all(Array.from({ length: concurrency }, loop));
    const ended = machineTime();
    await agent.destroy();
    return ended;
  },
};

/** What can be asked of it. */
export type BareLoopVerbs = typeof verbs;

answerParent(verbs);
