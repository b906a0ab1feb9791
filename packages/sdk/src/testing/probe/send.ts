import type { ClientRequest, IncomingMessage } from 'node:http';
import { concatBytes } from '../../webhooks/raw-body';
import type { ProbeRequest } from './requests';

/** What became of a request: a response, or an error. */
export interface Exchange {
  /** HTTP status. Null without a response. */
  status: number | null;
  /** Why there was no complete response: a code of the system such as `ECONNREFUSED`, or `timeout`. Null if there was one. */
  error: string | null;
  /** Whether there was a connection, with TLS for https. Otherwise the request was not sent. */
  isConnected: boolean;
  /** The names and values of the response's headers. */
  headers: IncomingMessage['headers'];
  /** The first 64 KiB of the response. */
  body: string;
  durationMs: number;
}

/** Whether a complete response accepts the delivery: then the service does not send it again. */
export function isAcknowledged({ status, error }: Exchange): boolean {
  return error === null && status !== null && status >= 200 && status < 300;
}

/** The most bytes of a response that are read. */
const maxResponse = 65_536;

/** Loads a module of Node. Not an import, because this entry must also load in other runtimes. */
function nodeModule(name: 'node:http' | 'node:https'): typeof import('node:http') {
  const found = globalThis.process?.getBuiltinModule?.(name);
  if (!found) throw new TypeError('probeReceiver needs Node: it writes requests byte for byte');
  return found as typeof import('node:http');
}

/** Sends a request over its own connection, and reads the response. It follows no redirect. The promise never rejects. */
export function send(
  url: URL,
  request: ProbeRequest,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Exchange> {
  const isSecure = url.protocol === 'https:';
  const http = nodeModule(isSecure ? 'node:https' : 'node:http');
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    let incoming: IncomingMessage | undefined;
    let isConnected = false;
    const { method = 'POST', body, chunked } = request;
    const isSized = method === 'POST' && !chunked;
    const outgoing = http.request(url, {
      ...{ method, agent: false, signal },
      headers: {
        'User-Agent': 'tradepost-probe',
        'Tradepost-Test': 'true',
        ...request.headers,
        ...(isSized ? { 'Content-Length': body.length } : {}),
      },
    });
    const timer = setTimeout(() => end(isConnected ? 'timeout' : 'ETIMEDOUT'), timeoutMs);
    const end = (error: string | null) => {
      clearTimeout(timer);
      outgoing.destroy();
      resolve({
        status: incoming?.statusCode ?? null,
        error,
        isConnected,
        headers: incoming?.headers ?? {},
        body: new TextDecoder().decode(concatBytes(pieces)),
        durationMs: Math.round(performance.now() - startedAt),
      });
    };
    outgoing.on('socket', (socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      });
    });
    // A receiver may respond, and close the connection, before it has read everything.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (!incoming) end(error.code ?? error.message);
    });
    outgoing.on('response', (response) => {
      incoming = response;
      response.on('data', (piece: Uint8Array) => {
        pieces.push(piece);
        length += piece.length;
        if (length > maxResponse) end(null);
      });
      response.on('end', () => end(null));
      response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    });
    writeBody(outgoing, request);
  });
}

function writeBody(outgoing: ClientRequest, { body, splitAt, chunked }: ProbeRequest): void {
  outgoing.setNoDelay(true);
  if (splitAt === undefined) {
    if (chunked) outgoing.write(body);
    outgoing.end(chunked ? undefined : body);
    return;
  }
  const rest = () => outgoing.end(body.subarray(splitAt));
  // So that a receiver reads the first part before the second arrives.
  outgoing.write(body.subarray(0, splitAt), () => setTimeout(rest, 50));
}
