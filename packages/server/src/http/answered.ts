import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that was answered, as far as it can be counted. */
export interface Answered {
  method: string;
  /** The route's template, such as `/v1/orders/:id`; null for a path that is no endpoint's. */
  route: string | null;
  /** HTTP status of the answer. */
  status: number;
}

/** Tells of a request what can be counted, once Express has found its route. */
export function describeAnswered(
  request: IncomingMessage & { route?: { path?: unknown } },
  response: ServerResponse,
): Answered {
  const path = request.route?.path;
  return {
    method: request.method ?? '',
    route: typeof path === 'string' ? path : null,
    status: response.statusCode,
  };
}
