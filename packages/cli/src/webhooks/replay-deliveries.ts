import type { Tradepost } from '@tradepost/sdk';
import { graceAfter } from '../bulk/grace';
import {
  endsAll,
  failureOf,
  noFailure,
  type OutcomeFailure,
  type OutcomeKind,
} from '../bulk/outcome';
import { runPool } from '../bulk/pool';
import type { Failure } from '../bulk-error';
import { wait } from '../wait';
import { type PaceClock, pacer } from './pacer';

/** What came of one delivery that was to be sent again. */
export interface ReplayOutcome extends OutcomeFailure {
  /** The delivery, `dlv_<id>`. */
  id: string;
  /** What came of it. */
  outcome: OutcomeKind;
  /** The state that it is in; null when that is not known. */
  state: string | null;
}

/** Deliveries that are to be sent again. */
export interface ReplayPlan {
  /** Their ids, in the order that they are to be sent in. */
  ids: readonly string[];
  /** Milliseconds from the beginning of one replay to that of the next. */
  interval: number;
  /** Whether each is only looked at. */
  dryRun: boolean;
  /** Is told what came of each, as it comes. It never rejects. */
  tell: (outcome: ReplayOutcome) => Promise<void>;
  /** No other is begun once it is aborted. */
  signal: AbortSignal;
  /** Is told then that what is under way is finished first. */
  onFinishing: () => void;
  /** What the pace is kept by; the real clock unless told. */
  clock?: PaceClock;
}

/** How it went. */
interface ReplayEnd {
  /** How many are queued again, or would be. */
  done: number;
  /** Those that are not, but for those whose turn did not come. */
  failures: Failure[];
  /** Those whose turn did not come. */
  untried: readonly string[];
}

/** How many replays may be under way: when the service is slow, the pace is slower than was asked for. */
const atOnce = 4;

/**
 * Has deliveries sent again, one after another at a pace, and goes on after a failure unless it would
 * meet all the others too. After an interruption those under way are finished, within a grace: a change should not be in doubt.
 */
export async function replayDeliveries(
  { deliveries }: Pick<Tradepost, 'deliveries'>,
  { ids, interval, dryRun, tell, signal, onFinishing, clock }: ReplayPlan,
): Promise<ReplayEnd> {
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  const realClock: PaceClock = {
    now: () => performance.now(),
    wait: (milliseconds) => wait(milliseconds, over),
  };
  const grace = graceAfter(signal, onFinishing);
  const failures: Failure[] = [];
  let done = 0;

  async function replayOne(id: string): Promise<boolean> {
    let outcome: ReplayOutcome;
    let isEnd = false;
    try {
      const { state } = await grace.during((signal) =>
        dryRun ? deliveries.get(id, { signal }) : deliveries.replay(id, { signal }),
      );
      done += 1;
      outcome = { id, outcome: dryRun ? 'would-change' : 'done', state, ...noFailure };
    } catch (error) {
      failures.push({ id, error });
      isEnd = endsAll({ id, error });
      outcome = { id, outcome: 'failed', state: null, ...failureOf(error) };
    }
    await tell(outcome);
    if (isEnd) ending.abort();
    return isEnd;
  }

  const begun = await runPool({
    targets: ids,
    concurrency: atOnce,
    work: replayOne,
    endsAll: (isEnd) => isEnd,
    signal,
    turn: pacer(ids.length, interval, clock ?? realClock),
  });
  grace.end();
  return { done, failures, untried: ids.slice(begun) };
}
