import type { DeliveryDetails, Tradepost } from '@tradepost/sdk';
import type { CliContext } from '../../context';

const maxPollMs = 2_000;

/**
 * Polls a delivery until it is delivered or failed, or the timeout is over. Then it is still pending.
 *
 * @param timeout milliseconds
 */
export async function waitForDelivery(
  { deliveries }: Pick<Tradepost, 'deliveries'>,
  id: string,
  timeout: number,
  { elapsed, wait, signal }: Pick<CliContext, 'elapsed' | 'wait' | 'signal'>,
): Promise<DeliveryDetails> {
  const endsAt = elapsed() + timeout;
  for (let intervalMs = 100; ; intervalMs = Math.min(intervalMs * 2, maxPollMs)) {
    const delivery = await deliveries.get(id, { signal });
    const left = endsAt - elapsed();
    if (delivery.state !== 'pending' || left <= 0) return delivery;
    await wait(Math.min(intervalMs, left), signal);
  }
}
