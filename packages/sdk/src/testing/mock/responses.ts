import { headerNames } from '@tradepost/contract/wire';
import type { DomainError } from '@tradepost/domain/kernel/errors';
import { buildProblem, commonHeaders, problemHeaders } from '@tradepost/domain/problems';
import type { MockOperation } from './operations';

/** A response of the mock, before it is serialized. */
export interface MockResponse {
  status: number;
  headers?: Record<string, string>;
  /** A JSON value. Undefined: no body. */
  body?: unknown;
}

/** Returns the headers that every response has. */
export function everyHeader(requestId: string): Record<string, string> {
  return { [headerNames.requestId]: requestId, ...commonHeaders };
}

/** Merges headers, with names in lower case. A later one replaces an earlier one of the same name, however it is written. */
export function mergeHeaders(
  ...parts: readonly (Record<string, string> | undefined)[]
): Record<string, string> {
  const entries = parts.flatMap((part) => Object.entries(part ?? {}));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Builds the response to a request that breaks a rule. */
export function toProblemResponse(error: DomainError, requestId: string): MockResponse {
  const body = buildProblem(error, requestId);
  const headers = { ...problemHeaders(error.code), ...error.headers };
  return { status: body.status, headers, body };
}

/** Changes whose responses the API specification does not show: a service may send no body. */
const withoutBody: readonly (MockOperation | null)[] = [
  'orders.update',
  'notifications.markRead',
  'webhooks.create',
];

/**
 * Turns a response into that of a service without extensions: no problem documents, no cursors, no headers of its own, and no
 * body where the API specification shows none. Of the headers, only `Retry-After` is not an extension.
 */
export function toMinimalResponse(
  { status, headers, body }: MockResponse,
  operation: MockOperation | null,
): MockResponse {
  if (status >= 400) {
    const retryAfter = headers?.[headerNames.retryAfter];
    return {
      status,
      ...(retryAfter !== undefined && { headers: { [headerNames.retryAfter]: retryAfter } }),
      body: { error: (body as { title: string }).title },
    };
  }
  if (withoutBody.includes(operation)) return { status: 204 };
  return { status, body: { data: (body as { data: unknown }).data } };
}
