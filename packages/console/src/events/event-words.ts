import type { AccountEvent } from '@tradepost/sdk';

/** Returns the order that an event is about; null if it is about none. */
export function getOrderId({ data }: AccountEvent): string | null {
  return 'orderId' in data && typeof data.orderId === 'string' ? data.orderId : null;
}
