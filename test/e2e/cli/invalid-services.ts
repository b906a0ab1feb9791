import { createServer } from 'node:http';
import { closeServer, listenOnLoopback } from '../../helpers/loopback';

/** A service that answers every request the same way, as none should. */
export interface OddService {
  url: string;
  close(): Promise<void>;
}

async function start(status: number, type: string, body: string): Promise<OddService> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  return { url, close: () => closeServer(server) };
}

/** A web site where the service should be. */
export const startWebSite = () => start(200, 'text/html', '<!doctype html><h1>Welcome</h1>');

/** A service whose answers break off. */
export const startBrokenService = () => start(200, 'application/json', '{"data":[{"id":"ord_1"');

/** A service that is at its end. */
export const startFailingService = () => start(500, 'text/plain', 'out of memory');

/** A receiver of deliveries whose path `/down` answers 503, and every other 204. */
export async function startHalfReceiver(): Promise<OddService> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/down' ? 503 : 204).end();
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  return { url, close: () => closeServer(server) };
}
