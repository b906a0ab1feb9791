import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from '../profile/profile';
import { type Call, type Caller, findHeader, isUnclear, type Operation, operations } from './call';

/**
 * Sends requests to the service that is checked. What fails is in the call. After a 429, a request is sent again when the response says,
 * or a second later: three times, unless the wait is too long. It rejects only if the run is interrupted.
 */
export interface Service {
  /** @param body Sent as JSON, with `Content-Type: application/json`. */
  call(caller: Caller, operation: Operation, options?: CallOptions): Promise<Call>;
  /** As `call`, and a second time if the first one was neither accepted nor rejected. */
  callTwice(caller: Caller, operation: Operation, options?: CallOptions): Promise<Call>;
  /** Sends a request of an extension, which is not recorded. */
  send(caller: Caller, method: string, path: string, options?: SendOptions): Promise<Call>;
  close(): void;
}

interface SendOptions {
  body?: unknown;
  /** Beside those that every request has. */
  headers?: Readonly<Record<string, string>>;
  /** Whether a 429 is what is asked for: nothing is sent again then. */
  isLimitExpected?: boolean;
}

interface CallOptions extends SendOptions {
  /** What replaces `:id` in the path. */
  id?: string;
  /** The filter of a list. */
  status?: string;
}

const sizeLimit = 16 * 1024 * 1024;

/**
 * @param signal ends the request that is under way, and rejects all others
 * @param record is told of every call of an operation, when it has ended
 * @param longestWait how long to wait after a 429, in seconds
 * @param timeLimit how long a response may take, in milliseconds
 */
export function createService(
  { baseUrl, keys }: Profile,
  signal: AbortSignal,
  record: (call: Call) => void = () => undefined,
  longestWait = 60,
  timeLimit = 30_000,
): Service {
  const base = baseUrl.replace(/\/+$/, '');
  const client = base.startsWith('https:') ? https : http;
  const agent = new client.Agent({ keepAlive: true });
  const inventedKey = randomBytes(24).toString('hex');

  const authorize = (caller: Caller): [string, string][] => {
    if (caller === 'nobody') return [];
    return [['Authorization', `Bearer ${caller === 'invented key' ? inventedKey : keys[caller]}`]];
  };

  async function send(...request: Parameters<typeof sendOnce>): Promise<Call> {
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted();
      const call = await sendOnce(...request);
      signal.throwIfAborted();
      const { status, headers = [] } = call.response ?? {};
      const after = findHeader(headers, 'retry-after') ?? '1';
      // Seconds, or a date.
      const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
      const isLast = tries === 3 || request[4].isLimitExpected || !(seconds <= longestWait);
      if (status !== 429 || isLast) return call;
      await sleep(Math.max(0, seconds * 1000), undefined, { signal });
    }
  }

  async function sendOnce(
    caller: Caller,
    operation: Operation | null,
    method: string,
    path: string,
    { body: content, headers: more = {} }: SendOptions,
  ): Promise<Call> {
    const body = content === undefined ? null : Buffer.from(JSON.stringify(content));
    const headers: [string, string][] = [...authorize(caller), ['Accept', 'application/json']];
    headers.push(...Object.entries(more));
    if (body)
      headers.push(['Content-Type', 'application/json'], ['Content-Length', `${body.length}`]);
    const url = base + path;
    const sentAt = Date.now();
    let response: Call['response'] = null;
    let error: string | null = null;
    try {
      response = await exchange(client, url, { agent, method, headers, body, signal, timeLimit });
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      error = code ?? message;
    }
    const sent = { operation, caller, method, url, headers, body, sentAt };
    return { ...sent, endedAt: Date.now(), response, error, json: parseJson(response?.body) };
  }

  const call: Service['call'] = async (caller, operation, { id, status, ...options } = {}) => {
    const [method = '', template = ''] = operations[operation].split(' ');
    const path = template.replace(':id', encodeURIComponent(id ?? ''));
    const query = status === undefined ? '' : `?status=${encodeURIComponent(status)}`;
    const made = await send(caller, operation, method, path + query, options);
    record(made);
    return made;
  };
  return {
    call,
    async callTwice(...request) {
      const first = await call(...request);
      return isUnclear(first) ? call(...request) : first;
    },
    send: (caller, method, path, options = {}) => send(caller, null, method, path, options),
    close: () => agent.destroy(),
  };
}

type ExchangeOptions = Pick<Call, 'method' | 'headers' | 'body'> & {
  agent: http.Agent;
  signal: AbortSignal;
  timeLimit: number;
};

/** Sends one request and reads its response to the end. Redirects are responses like others. */
function exchange(
  client: typeof http | typeof https,
  url: string,
  { agent, method, headers, body, signal, timeLimit }: ExchangeOptions,
): Promise<NonNullable<Call['response']>> {
  return new Promise((resolve, reject) => {
    const timeout = AbortSignal.timeout(timeLimit);
    const request = client.request(url, {
      method,
      agent,
      signal: AbortSignal.any([timeout, signal]),
      headers: Object.fromEntries(headers),
    });
    request.on('error', (error) =>
      reject(timeout.aborted ? new Error(`none within ${timeLimit / 1000} s`) : error),
    );
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > sizeLimit) request.destroy(new Error('the body is larger than 16 MB'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: pairs(response.rawHeaders),
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.end(body ?? undefined);
  });
}

/** Raw headers as Node has them, in pairs. */
export function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as [string, string]] : [],
  );
}

/** The JSON of a body; undefined if it is none. */
export function parseJson(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
