import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, request } from 'node:http';
import { Readable } from 'node:stream';
import { startHttpServer } from '../../../../../test/helpers/loopback';
import type { HostResponse, RunningHost, Sent } from './host';

/** Starts a real server on a free port, and stops it with all its connections. */
export async function listening(
  listener: RequestListener,
  path = '/webhooks',
): Promise<RunningHost> {
  const server = await startHttpServer(listener);
  return { send: (sent) => sendTo(server.port, path, sent), stop: server.close };
}

/** Sends a request over its own connection, and reads the response. */
export async function sendTo(port: number, path: string, sent: Sent): Promise<HostResponse> {
  const { method = 'POST', body } = sent;
  const isChunked = 'Transfer-Encoding' in sent.headers;
  const headers = { ...sent.headers, ...(isChunked ? {} : { 'Content-Length': body.length }) };
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers as Record<string, string>,
    body: (await incoming.toArray()).join(''),
  };
}

/** Serves web requests over `node:http`, as the bridges of web frameworks do. */
export function bridge(serve: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
    const { method = 'GET', headers } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const response = await serve(
      new Request(`http://127.0.0.1${incoming.url}`, {
        method,
        headers: headers as Record<string, string>,
        body: hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null,
        duplex: 'half',
      } as RequestInit),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  };
}
