import type { Delivery } from '../receiver/receiver';
import { attemptsAt, type Facts } from './facts';

/** How the receiver behaves for the deliveries that must be retried, by the name of the webhook. */
export const failing = {
  'status-500': 500,
  'status-404': 404,
  'status-302': 302,
  'status-429': 429,
  close: 'close',
  hang: 'hang',
} as const;

export type FailingHook = keyof typeof failing;

export const isForFailingHook = ({ hook }: Delivery): boolean =>
  hook !== null && Object.hasOwn(failing, hook);

/** So many attempts of a delivery fail. The first three waits between them are compared. */
export const attemptsUntilSuccess: Record<FailingHook, number> = {
  'status-500': 4,
  'status-404': 4,
  'status-302': 4,
  close: 4,
  'status-429': 1,
  hang: 1,
};

/** The second attempt at these succeeds, and nothing may follow it. */
export const succeeding = ['status-429', 'hang'] as const;

/** How long nothing must follow that success: twice the wait that would have come next, in milliseconds. */
export function silenceAfterSuccess(facts: Facts): number {
  const waits = succeeding
    .map((hook) => attemptsAt(facts, hook))
    .flatMap(([first, second]) => (first && second ? [second.at - first.at] : []));
  return waits.length === 0 ? 0 : 2 * Math.min(...waits) * (facts.profile.retries?.factor ?? 3);
}

/** How long the next attempt of a delivery may take since the first one, in milliseconds. Without declared retries: 85 s for all. */
export function patience(
  { profile: { retries } }: Facts,
  hook: FailingHook,
  attempts: number,
): number {
  if (!retries) return 85_000;
  const { firstWithinSeconds, factor, maxSeconds, timeoutSeconds } = retries;
  let total = 0;
  for (let wait = 0; wait < Math.max(1, attempts); wait += 1) {
    total +=
      Math.min(firstWithinSeconds * factor ** wait, maxSeconds) +
      (hook === 'hang' ? timeoutSeconds : 0);
  }
  // Requests take time too, on a slow machine in particular.
  return total * 1000 + 1000;
}
