import type { KnownWebhookEvent } from '@tradepost/sdk/webhooks';
import { type CaseName, type Expectation, genuineType } from './cases';

/** How long a probe waits for an effect, or for another one, that may follow the response. */
const effectMs = 500;
const stepMs = 20;

/** The last case that may show which events have effects. */
const lastLesson: CaseName = 'type beside event';

/** Counts the effects of each case. */
interface EffectCounter {
  /** A type of event that has an effect, once one is known. */
  type: KnownWebhookEvent['event'] | undefined;
  /** Ends judging: when several requests are open, an effect may be that of any. */
  stop(): void;
  /** Waits until no more effects follow. They belong to no case. */
  settle(): Promise<void>;
  /**
   * Waits for the effects of a case, and returns their number. Null if it would mislead: genuine deliveries had none in time, so those
   * of a case could appear in the next one.
   *
   * @param expected how many there may be: 0 if nothing was accepted
   */
  count(name: CaseName, expectation: Expectation, expected: number): Promise<number | null>;
}

/** Starts counting. Without `handled`, every number is null. */
export async function countEffects(
  handled: (() => number | Promise<number>) | undefined,
  signal: AbortSignal | undefined,
): Promise<EffectCounter> {
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
  aborted.catch(() => undefined);
  const read = async () => {
    signal?.throwIfAborted();
    const number = handled ? await Promise.race([handled(), aborted]) : 0;
    if (!Number.isFinite(number)) throw new TypeError('handled must return a number');
    return number;
  };
  let isJudged = handled !== undefined;
  let total = await read();
  const waitFor = async (expected: number) => {
    const before = total;
    let changedAt = performance.now();
    for (let isLast = !handled; !isLast; ) {
      isLast = performance.now() - changedAt >= effectMs;
      const now = await read();
      if (now !== total) changedAt = performance.now();
      isLast = now - before >= expected || (isLast && now === total);
      total = now;
      if (!isLast) await new Promise((resolve) => setTimeout(resolve, stepMs));
    }
    return total - before;
  };
  let isLearning = true;
  let isAccepted = false;
  const counter: EffectCounter = {
    type: undefined,
    stop() {
      isJudged = false;
    },
    async settle() {
      if (isJudged) await waitFor(Number.POSITIVE_INFINITY);
    },
    async count(name, expectation, expected) {
      if (!isJudged) return null;
      const effects = await waitFor(expected);
      if (!isJudged) return null;
      if (isLearning) {
        isAccepted ||= expected > 0;
        if (effects > 0) counter.type ??= genuineType(name);
        isLearning = name !== lastLesson;
        if (isLearning) return effects;
        const late = await waitFor(Number.POSITIVE_INFINITY);
        isJudged = late === 0 && (counter.type !== undefined || !isAccepted);
        return late === 0 ? effects : 0;
      }
      if (expectation === 'accept' && expected > 0 && effects === 0) isJudged = false;
      return effects;
    },
  };
  return counter;
}
