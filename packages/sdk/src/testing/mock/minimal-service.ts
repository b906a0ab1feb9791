import type { MockResponse } from './handler';
import type { MockOperation } from './routes';

/** Changes whose responses the API specification does not show: a service may send no body. */
const withoutBody: readonly (MockOperation | null)[] = [
  'orders.update',
  'notifications.markRead',
  'webhooks.create',
];

/**
 * Turns a response into that of a service without extensions: no problem documents, no cursors, no headers of
 * its own, and no body where the API specification shows none.
 */
export function toMinimalResponse(
  { status, body }: MockResponse,
  operation: MockOperation | null,
): MockResponse {
  if (status >= 400) {
    return { status, body: { error: (body as { title: string }).title } };
  }
  if (withoutBody.includes(operation)) return { status: 204 };
  return { status, body: { data: (body as { data: unknown }).data } };
}
