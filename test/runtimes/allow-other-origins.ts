import { createServer, type IncomingMessage, request } from 'node:http';
import { closeServer, listenOnLoopback } from '../helpers/loopback';

/** A gateway in front of a service. */
export interface Gateway {
  url: string;
  close(): Promise<void>;
}

/**
 * Puts a gateway before a service that lets pages of other origins call it, as a company would whose
 * own pages do: the reference server sends no CORS headers. Close it in the end.
 */
export async function allowOtherOrigins(service: string): Promise<Gateway> {
  const server = createServer((asked, answer) => {
    const allowed = corsHeaders(asked);
    if (asked.method === 'OPTIONS') {
      answer.writeHead(204, allowed).end();
      return;
    }
    const { method, headers, url } = asked;
    const passed = request(new URL(url ?? '/', service), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, { ...answered.headers, ...allowed });
      answered.pipe(answer);
    });
    // A page that goes away takes its request along.
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

function corsHeaders({ headers }: IncomingMessage): Record<string, string> {
  return {
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-expose-headers': 'ETag, Idempotent-Replayed, Retry-After, X-Request-Id',
  };
}
