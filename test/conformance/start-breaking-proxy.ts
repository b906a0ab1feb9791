import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { startHttpServer } from '../helpers/loopback';

/** A request, or a response with the request that it is for. */
export interface Message {
  method: string;
  /** With the query. */
  path: string;
  /** Of a response: its status. */
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Changes messages on their way. What is left out stays as it is. */
export interface Breakage {
  request?(request: Message): void;
  response?(response: Message, request: Message): void;
}

export interface BreakingProxy {
  url: string;
  close(): Promise<void>;
}

async function readText(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Sends a message, and returns the response. */
function forward(target: string, { method, path, headers, body }: Message): Promise<Message> {
  return new Promise((resolve, reject) => {
    const { 'content-length': _, ...others } = headers;
    const outgoing = requestHttp(
      new URL(path, target),
      { method, headers: { ...others, 'content-length': Buffer.byteLength(body) }, agent: false },
      async (response) => {
        const { statusCode: status = 502, headers: received } = response;
        resolve({ method, path, status, headers: received, body: await readText(response) });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * Starts a proxy that breaks a promise of what is behind it. If the breakage gives a request a status, that is the response, with the
 * body of the request: nothing is forwarded.
 */
export async function startBreakingProxy(
  target: string,
  breakage: Breakage,
): Promise<BreakingProxy> {
  return startHttpServer(async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const request = { method, path, status: 0, headers, body: await readText(incoming) };
    const sent = structuredClone(request);
    try {
      breakage.request?.(request);
      const response =
        request.status > 0
          ? { ...request, headers: { 'content-type': 'application/json' } }
          : await forward(target, request);
      breakage.response?.(response, sent);
      const { 'content-length': _, 'transfer-encoding': __, ...others } = response.headers;
      outgoing.writeHead(response.status, others).end(response.body || undefined);
    } catch {
      // The service or the receiver has closed the connection: so does the proxy.
      outgoing.destroy();
    }
  });
}
