import { type LoopbackServer, startHttpServer } from '../../../helpers/loopback';

/** Starts a service that sends the same response to every request. */
const startService = (status: number, type: string, body: string): Promise<LoopbackServer> =>
  startHttpServer((_, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });

/** Starts a web site instead of the service. */
export const startWebSite = () => startService(200, 'text/html', '<!doctype html><h1>Welcome</h1>');

/** Starts a service whose responses are truncated. */
export const startBrokenService = () =>
  startService(200, 'application/json', '{"data":[{"id":"ord_1"');

/** Starts a service that always fails. */
export const startFailingService = () => startService(500, 'text/plain', 'out of memory');

/** Starts a receiver that responds with 503 at its path `/down` and with 204 elsewhere. */
export const startPartialReceiver = () =>
  startHttpServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/down' ? 503 : 204).end();
  });
