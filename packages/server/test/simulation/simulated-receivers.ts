import { attemptTimeoutMs } from '../../src/deliveries/delivery';
import type { Ailment, PlannedEndpoint } from './plan';
import type { SeededRandom } from './seeded-random';

const second = 1_000;
/** A delivery is tried for no longer. */
const longestWait = 24 * 3_600 * second;

/** How a receiver takes one attempt. */
export interface Reply {
  /** Milliseconds until it has come whole. */
  takes: number;
  status: number | null;
  error: string | null;
  /** The values of its `Retry-After` headers. */
  retryAfter: string[];
  /** How long these ask to wait, in milliseconds; null when none makes sense. */
  asks: number | null;
}

const nonsense: [string, ...string[]] = ['', 'soon', '-5', '1.5', 'Retry-After: 5', '\u{1f4a4}'];

/** A receiver may send the header never, once or several times, and nonsense among it. */
function busy(random: SeededRandom): Reply {
  const seconds = random.several(0, 2, () => random.pick([0, 1, 30, 600, 5 * 3_600, 48 * 3_600]));
  const retryAfter = [...seconds.map(String), ...random.several(0, 2, () => random.pick(nonsense))];
  const asks = seconds.length === 0 ? null : Math.min(Math.max(...seconds) * second, longestWait);
  const takes = random.between(5, 500);
  return { ...answered(random.pick([429, 503]), takes), retryAfter, asks };
}

const ailments: Record<Ailment, (random: SeededRandom) => Reply> = {
  refuses: (random) => unanswered('connection_refused', random.between(0, 20)),
  resets: (random) => unanswered('connection_reset', random.between(1, 3 * second)),
  hangs: () => unanswered('timeout', attemptTimeoutMs),
  errs: (random) => answered(random.pick([400, 404, 410, 500, 502]), random.between(5, 2 * second)),
  redirects: (random) => answered(random.pick([301, 302, 307]), random.between(5, 200)),
  'is busy': busy,
};

function unanswered(error: string, takes: number): Reply {
  return { takes, status: null, error, retryAfter: [], asks: null };
}

function answered(status: number, takes: number): Reply {
  return { takes, status, error: null, retryAfter: [], asks: null };
}

/** What an attempt comes to for which this machine has no socket left. */
export function socketExhaustion(random: SeededRandom): Reply {
  return unanswered('socket_exhaustion', random.between(0, 5));
}

/**
 * How an endpoint takes an attempt.
 *
 * @param elapsed When it starts, in milliseconds since the beginning.
 */
export function createReply(
  endpoint: PlannedEndpoint,
  elapsed: number,
  random: SeededRandom,
): Reply {
  const ailing = endpoint.ailing.find(({ from, to }) => from <= elapsed && elapsed < to);
  if (ailing !== undefined) return ailments[ailing.as](random);
  if (endpoint.kind === 'slow') return answered(202, random.between(9 * second, 14_900));
  if (endpoint.kind === 'flaky' && random.chance(0.35)) {
    return ailments[random.pick(['refuses', 'resets', 'hangs', 'errs', 'is busy'])](random);
  }
  return answered(random.pick([200, 201, 204]), random.between(5, 250));
}
