import type { StatusClass } from '@tradepost/contract';
import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryFilter } from '@tradepost/domain/deliveries/logged-delivery';

const states: readonly DeliveryState[] = ['pending', 'delivered', 'failed'];

/** The SQL conditions of status classes. */
export const statusClassConditions: Record<StatusClass, string> = {
  '2xx': 'last_status BETWEEN 200 AND 299',
  '3xx': 'last_status BETWEEN 300 AND 399',
  '4xx': 'last_status BETWEEN 400 AND 499',
  '5xx': 'last_status BETWEEN 500 AND 599',
  none: 'last_status IS NULL AND last_error IS NOT NULL',
};

/** Lists the states that deliveries of a filter can have: a delivered one had a 2xx response. */
export function listStates({ state, statusClass }: DeliveryFilter): DeliveryState[] {
  const rejected = statusClass !== undefined && statusClass !== '2xx';
  return states.filter((one) => (state ?? one) === one && !(rejected && one === 'delivered'));
}
