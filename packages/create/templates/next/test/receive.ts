import { POST } from '../src/app/webhooks/route';

/** Sends a request to the route and returns its response. */
export function receive(request: Request): Promise<Response> {
  return POST(request);
}
