import type { Problem } from '@tradepost/contract';

/** A response, read without the SDK, which would retry. */
export interface RawResponse {
  status: number;
  headers: Headers;
  body: { data?: { id: string } } & Partial<Problem>;
  /** Milliseconds from the request to the complete response. */
  durationMs: number;
}

/** The parts of a request besides method and URL. */
export interface RawRequest {
  apiKey: string;
  body?: unknown;
  /** Sent as `Idempotency-Key`. */
  key?: string;
}

/** Sends one request and returns its response, whatever the status. */
export async function sendRaw(
  method: string,
  url: string,
  { apiKey, body, key }: RawRequest,
): Promise<RawResponse> {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  const responseBody = (await response.json()) as RawResponse['body'];
  return { status, headers, body: responseBody, durationMs: performance.now() - startedAt };
}
