import { attemptTimeoutMs } from '@tradepost/domain/deliveries/delivery';
import type { PlannedEndpoint, ReceiverFault } from './plan';
import type { SeededRandom } from './seeded-random';

const second = 1_000;
/** A delivery is not retried for longer than this. */
const longestWait = 24 * 3_600 * second;

/** How a receiver responds to one attempt. */
export interface Reply {
  /** Milliseconds until the response is complete. */
  durationMs: number;
  status: number | null;
  error: string | null;
  /** The values of its `Retry-After` headers. */
  retryAfter: string[];
  /** The wait that these request, in milliseconds; null if none is valid. */
  requestedWait: number | null;
}

const invalidValues: [string, ...string[]] = [
  '',
  'soon',
  '-5',
  '1.5',
  'Retry-After: 5',
  '\u{1f4a4}',
];

/** Responds with 429 or 503 and any number of `Retry-After` headers, valid and invalid ones. */
function rateLimited(random: SeededRandom): Reply {
  const seconds = random.several(0, 2, () => random.pick([0, 1, 30, 600, 5 * 3_600, 48 * 3_600]));
  const retryAfter = [
    ...seconds.map(String),
    ...random.several(0, 2, () => random.pick(invalidValues)),
  ];
  const requestedWait =
    seconds.length === 0 ? null : Math.min(Math.max(...seconds) * second, longestWait);
  const durationMs = random.between(5, 500);
  return { ...responseAfter(random.pick([429, 503]), durationMs), retryAfter, requestedWait };
}

const receiverFaults: Record<ReceiverFault, (random: SeededRandom) => Reply> = {
  unreachable: (random) => noResponseAfter('connection_refused', random.between(0, 20)),
  resets: (random) => noResponseAfter('connection_reset', random.between(1, 3 * second)),
  hangs: () => noResponseAfter('timeout', attemptTimeoutMs),
  errors: (random) =>
    responseAfter(random.pick([400, 404, 410, 500, 502]), random.between(5, 2 * second)),
  redirects: (random) => responseAfter(random.pick([301, 302, 307]), random.between(5, 200)),
  'rate limits': rateLimited,
};

function noResponseAfter(error: string, durationMs: number): Reply {
  return { durationMs, status: null, error, retryAfter: [], requestedWait: null };
}

function responseAfter(status: number, durationMs: number): Reply {
  return { durationMs, status, error: null, retryAfter: [], requestedWait: null };
}

/** The result of an attempt for which this machine has no free socket. */
export function socketExhaustion(random: SeededRandom): Reply {
  return noResponseAfter('socket_exhaustion', random.between(0, 5));
}

/**
 * Returns how an endpoint responds to an attempt.
 *
 * @param elapsed When the attempt starts, in milliseconds since the start.
 */
export function createReply(
  endpoint: PlannedEndpoint,
  elapsed: number,
  random: SeededRandom,
): Reply {
  const outage = endpoint.outages.find(({ from, to }) => from <= elapsed && elapsed < to);
  if (outage !== undefined) return receiverFaults[outage.as](random);
  if (endpoint.kind === 'slow') return responseAfter(202, random.between(9 * second, 14_900));
  if (endpoint.kind === 'flaky' && random.chance(0.35)) {
    return receiverFaults[random.pick(['unreachable', 'resets', 'hangs', 'errors', 'rate limits'])](
      random,
    );
  }
  return responseAfter(random.pick([200, 201, 204]), random.between(5, 250));
}
