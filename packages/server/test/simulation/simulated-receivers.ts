import { attemptTimeout } from '../../src/deliveries/delivery';
import type { Ailment, PlannedEndpoint } from './plan';
import type { SeededRandom } from './seeded-random';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How a receiver takes one attempt. */
export interface Reply {
  /** Milliseconds until it has come whole. */
  takes: number;
  status: number | null;
  error: string | null;
  retryAfter: number | null;
}

const ailments: Record<Ailment, (random: SeededRandom) => Reply> = {
  refuses: (random) => unanswered('connection_refused', random.between(0, 20)),
  resets: (random) => unanswered('connection_reset', random.between(1, 3 * second)),
  hangs: () => unanswered('timeout', attemptTimeout),
  errs: (random) => answered(random.pick([400, 404, 410, 500, 502]), random.between(5, 2 * second)),
  redirects: (random) => answered(random.pick([301, 302, 307]), random.between(5, 200)),
  'is busy': (random) => ({
    ...answered(random.pick([429, 503]), random.between(5, 500)),
    retryAfter: random.pick([null, 0, second, 30 * second, 10 * minute, 5 * hour, 48 * hour]),
  }),
};

function unanswered(error: string, takes: number): Reply {
  return { takes, status: null, error, retryAfter: null };
}

function answered(status: number, takes: number): Reply {
  return { takes, status, error: null, retryAfter: null };
}

/**
 * How an endpoint takes an attempt.
 *
 * @param elapsed When it starts, in milliseconds since the beginning.
 */
export function replyOf(endpoint: PlannedEndpoint, elapsed: number, random: SeededRandom): Reply {
  const ailing = endpoint.ailing.find(({ from, to }) => from <= elapsed && elapsed < to);
  if (ailing !== undefined) return ailments[ailing.as](random);
  if (endpoint.kind === 'slow') return answered(202, random.between(9 * second, 14_900));
  if (endpoint.kind === 'flaky' && random.chance(0.35)) {
    return ailments[random.pick(['refuses', 'resets', 'hangs', 'errs', 'is busy'])](random);
  }
  return answered(random.pick([200, 201, 204]), random.between(5, 250));
}
