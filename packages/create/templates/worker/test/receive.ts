import worker from '../src/main';

/** Sends a request to the Worker and returns its response. */
export function receive(request: Request): Promise<Response> {
  return worker.fetch(request);
}
