import { aProblem, type SeenRequest } from './minimal-service';

export const buyerId = 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB';

/** Responds as a service that rejects what the API specification does not have. */
export function rejectExtensions({ method, path, query }: SeenRequest) {
  const { status, limit: _, cursor: __, ...others } = query;
  const isKnown = Object.keys(others).length === 0 && !status?.includes(',');
  return isKnown || method !== 'GET' || path !== '/v1/orders'
    ? undefined
    : aProblem(422, 'validation_failed');
}
