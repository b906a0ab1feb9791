import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';

/** A received request with its complete body. */
export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What the service does with one request. It may also send no response. */
export type Step = (response: ServerResponse, request: SeenRequest) => void;

/** A real server on its own port that runs one step for each request, in turn. */
export class ScriptedService {
  /** Its address: the only property of its own, so that `...service` is an option of the client. */
  readonly baseUrl: string;
  readonly #seen: SeenRequest[];

  constructor(baseUrl: string, seen: SeenRequest[]) {
    this.baseUrl = baseUrl;
    this.#seen = seen;
  }

  /** Every request so far. */
  get seen(): SeenRequest[] {
    return this.#seen;
  }

  /** The request that came in at this position. */
  request(position: number): SeenRequest {
    const request = this.#seen[position];
    if (!request) throw new Error(`only ${this.#seen.length} requests came in`);
    return request;
  }
}

/** Starts a service that stops with the test. The last step is repeated for all further requests. */
export async function scriptedService(...steps: Step[]): Promise<ScriptedService> {
  const seen: SeenRequest[] = [];
  const server = await startHttpServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
      const step = steps[Math.min(seen.length, steps.length - 1)];
      seen.push(request);
      step?.(response, request);
    });
  });
  onTestFinished(() => server.close());
  return new ScriptedService(server.url, seen);
}

/** Responds with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Responds with any text. */
export function text(status: number, body: string, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };
}

/** Responds with a problem in the format of the service. */
export function problem(
  status: number,
  code: string,
  headers: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Step {
  return json(
    status,
    {
      type: `urn:tradepost:problem:${code}`,
      title: `Title of ${code}`,
      status,
      detail: `Detail of ${code}.`,
      code,
      requestId: 'req_1',
      ...more,
    },
    { 'content-type': 'application/problem+json', ...headers },
  );
}

/** Closes the connection without a response. */
export const reset: Step = (response) => {
  response.destroy();
};

/** Sends the head and a part of the body, then closes the connection. */
export const breakOff: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":', () => response.destroy());
};

/** Sends nothing, ever. */
export const hang: Step = () => undefined;

/** Sends the head and a part of the body, then nothing more. */
export const hangInBody: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"data":');
};
