import { Counter, Histogram, type Registry } from 'prom-client';
import {
  type Attempt,
  type ClaimedDelivery,
  isAcknowledged,
  type Outcome,
} from '../deliveries/delivery';
import { attemptErrors } from '../deliveries/name-error';

/** What a receiver's answer is counted as: the class of its status, or that there was none. */
function answerLabel(status: number | null): string {
  if (status === null) return 'none';
  return status >= 200 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

/** An error by its name alone: the detail in brackets comes from afar and may be anything. */
function errorLabel(error: string | null): string {
  if (error === null) return 'none';
  const [name = ''] = error.split(' ', 1);
  return Object.hasOwn(attemptErrors, name) ? name : 'unexpected';
}

function outcomeLabel(attempt: Attempt): 'acknowledged' | 'refused' | 'error' {
  if (isAcknowledged(attempt)) return 'acknowledged';
  return attempt.status === null ? 'error' : 'refused';
}

/** The labels of an attempt: each from a short closed list, whatever a receiver does. */
export function attemptLabels(attempt: Attempt): {
  outcome: 'acknowledged' | 'refused' | 'error';
  answer: string;
  error: string;
} {
  return {
    outcome: outcomeLabel(attempt),
    answer: answerLabel(attempt.status),
    error: errorLabel(attempt.error),
  };
}

/** Counts what becomes of deliveries and attempts, in a registry of metrics. */
export class DeliveryMetrics {
  readonly #ended: Counter<'outcome'>;
  readonly #attempts: Counter<'outcome' | 'answer' | 'error'>;
  readonly #duration: Histogram;
  readonly #lag: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#ended = new Counter({
      name: 'tradepost_deliveries_total',
      help: 'Deliveries that ended, by outcome: delivered or failed.',
      labelNames: ['outcome'],
      registers,
    });
    this.#attempts = new Counter({
      name: 'tradepost_delivery_attempts_total',
      help: 'Attempts to deliver, by outcome, class of the answer and error.',
      labelNames: ['outcome', 'answer', 'error'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'tradepost_delivery_attempt_duration_seconds',
      help: 'How long attempts took, whatever came of them.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    });
    this.#lag = new Histogram({
      name: 'tradepost_delivery_lag_seconds',
      help: 'From the event to the start of the first attempt to deliver it.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 86_400],
      registers,
    });
    // A series that begins with its first event has no rise to alert on.
    for (const outcome of ['delivered', 'failed']) this.#ended.inc({ outcome }, 0);
  }

  /** Counts an attempt that was made to its end. */
  countAttempt(delivery: ClaimedDelivery, attempt: Attempt, { state }: Outcome): void {
    this.#attempts.inc(attemptLabels(attempt));
    this.#duration.observe(attempt.duration / 1_000);
    if (delivery.attempts === 0) {
      // Clocks that are set back make no negative lag.
      this.#lag.observe(Math.max(0, attempt.startedAt - delivery.createdAt) / 1_000);
    }
    if (state !== 'pending') this.#ended.inc({ outcome: state });
  }

  /** Counts deliveries that failed without another attempt. */
  countGivenUp(count: number): void {
    this.#ended.inc({ outcome: 'failed' }, count);
  }
}
