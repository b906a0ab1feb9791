import type { Problem } from '@tradepost/contract';

/** An answer as it came, past the SDK, which would try again. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  body: { data?: { id: string } } & Partial<Problem>;
  /** Milliseconds from the request to the whole answer. */
  took: number;
}

/** What a request is made of besides its method and path. */
export interface RawRequest {
  apiKey: string;
  body?: unknown;
  /** Sent as `Idempotency-Key`. */
  key?: string;
}

/** Sends one request and takes whatever answer comes. */
export async function sendRaw(
  method: string,
  url: string,
  { apiKey, body, key }: RawRequest,
): Promise<RawAnswer> {
  const began = performance.now();
  const answer = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { status, headers } = answer;
  const read = (await answer.json()) as RawAnswer['body'];
  return { status, headers, body: read, took: performance.now() - began };
}
