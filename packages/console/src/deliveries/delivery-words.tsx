import type { Delivery, DeliveryAttempt } from '@tradepost/sdk';
import { explainDelivery } from '@tradepost/sdk/explain';
import { Badge, type Tone } from '../ui/badge';
import styles from './delivery-words.module.css';

const tones: Record<string, Tone> = { delivered: 'good', failed: 'bad', pending: 'warn' };

/** Shows the state of a delivery. */
export function DeliveryState({ state }: Pick<Delivery, 'state'>) {
  return <Badge tone={tones[state] ?? 'plain'}>{state}</Badge>;
}

/**
 * Shows what became of a delivery, as far as it is known without its webhook: whether what is pending waits for its first attempt or
 * is retried; else its state.
 */
export function DeliveryVerdict({ delivery }: { delivery: Delivery }) {
  const { verdict } = explainDelivery(delivery);
  if (verdict !== 'waiting' && verdict !== 'retrying') return <DeliveryState {...delivery} />;
  return <Badge tone={verdict === 'retrying' ? 'bad' : 'warn'}>{verdict}</Badge>;
}

/** Writes the error of an attempt in words: `connection refused` for `connection_refused`, with what follows it. */
function writeError(error: string | null): string | null {
  return error?.replace(/^\w+/, (name) => name.replaceAll('_', ' ')) ?? null;
}

/** Says how the last attempt ended. */
export function describeLast({
  attemptCount,
  lastStatus,
  lastError,
}: Pick<Delivery, 'attemptCount' | 'lastStatus' | 'lastError'>): string {
  if (attemptCount === 0) return 'none yet';
  const outcome = [lastStatus, writeError(lastError)].filter((one) => one !== null).join(', ');
  const count = attemptCount === 1 ? '' : `, ${attemptCount.toLocaleString('en')} attempts`;
  return `${outcome || 'no response'}${count}`;
}

/** Says how an attempt ended: the status of the response, or why there was none. */
export function Outcome({ status, error }: Pick<DeliveryAttempt, 'status' | 'error'>) {
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <span className={styles.outcome} data-good={isGood || undefined}>
      {[status, writeError(error)].filter((one) => one !== null).join(', ')}
    </span>
  );
}
