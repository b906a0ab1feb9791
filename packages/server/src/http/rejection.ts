import type { RequestListener } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { sendProblem } from './problems';

/**
 * Rejects requests because there are too many. It calls the handlers that every response needs, but not Express, which would
 * take as long as all the rest.
 *
 * @param handlers Handlers that need nothing of Express, and call `next` at once or not at all.
 */
export function rejectOverloaded(handlers: RequestHandler[]): RequestListener {
  function run(index: number, req: Request, res: Response): void {
    const handler = handlers[index];
    if (handler !== undefined) {
      handler(req, res, () => run(index + 1, req, res));
      return;
    }
    sendProblem(res, {
      code: 'overloaded',
      detail:
        'The service has more requests than it can handle in time. Nothing was changed. Wait for the time in Retry-After, then send the request again.',
    });
  }
  return (request, response) => run(0, request as Request, response as Response);
}
