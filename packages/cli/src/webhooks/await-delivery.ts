import type { DeliveryDetails, Tradepost } from '@tradepost/sdk';
import type { Terminal } from '../terminal';

/** The longest pause between two looks, in milliseconds. */
const longestPause = 2_000;

/**
 * Looks at a delivery until it is delivered or failed.
 *
 * @param timeout how many milliseconds to go on looking
 * @returns the delivery as it was last seen, final or not
 */
export async function awaitDelivery(
  { deliveries }: Pick<Tradepost, 'deliveries'>,
  id: string,
  { elapsed, wait, signal }: Pick<Terminal, 'elapsed' | 'wait' | 'signal'>,
  timeout: number,
): Promise<DeliveryDetails> {
  const endsAt = elapsed() + timeout;
  for (let pause = 100; ; pause = Math.min(pause * 2, longestPause)) {
    const delivery = await deliveries.get(id, { signal });
    const left = endsAt - elapsed();
    if (delivery.state !== 'pending' || left <= 0) return delivery;
    await wait(Math.min(pause, left), signal);
  }
}
