import { requestLimits } from '@tradepost/contract/wire';
import { bodyTooLarge, malformedJson, notJson } from '@tradepost/domain/problems';
import type { MockOperation } from './operations';

/** A request that the mock has received. */
export interface MockRequest {
  /** The call of the client, such as `orders.create`. Null for a path without an endpoint. */
  operation: MockOperation | null;
  /** HTTP method. */
  method: string;
  /** The path below `baseUrl`, without the query. */
  path: string;
  /** The query parameters. A list for one that was sent more than once. */
  query: Record<string, string | string[]>;
  /** The headers by lower-case name, including the API key. */
  headers: Record<string, string>;
  /** The parsed JSON body; the text, if it is not JSON; undefined without a body. */
  body: unknown;
  /** HTTP status of the response. Null when there is none: it was lost, or the request still waits. */
  status: number | null;
}

/**
 * Reads a request as `fetch` gets it.
 *
 * @param path the path below `baseUrl`
 */
export function readRequest(
  path: string,
  search: URLSearchParams,
  init: { method?: string; headers?: Readonly<Record<string, string>>; body?: string },
): Omit<MockRequest, 'operation'> {
  const query: MockRequest['query'] = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  const headers = Object.fromEntries(
    Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { method = 'GET', body: text = '' } = init;
  const body = text === '' ? undefined : parseJson(text, () => text);
  return { method, path, query, headers, body, status: null };
}

function parseJson(text: string, onError: (reason: string) => unknown): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return onError((error as Error).message);
  }
}

/**
 * Checks the format of a body.
 *
 * @throws {DomainError} `unsupported_media_type`, `body_too_large`, `malformed_json`.
 */
export function checkBodyFormat({ headers }: MockRequest, text: string | undefined): void {
  if (text === undefined || text === '') return;
  const type = headers['content-type'];
  if (!/^application\/json *(;|$)/i.test(type ?? '')) throw notJson(type);
  if (new TextEncoder().encode(text).length > requestLimits.bodyBytes) throw bodyTooLarge();
  parseJson(text, (reason) => {
    throw malformedJson(reason);
  });
}
