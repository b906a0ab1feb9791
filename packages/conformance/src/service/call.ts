import type { AccountName } from '../profile/profile';

/** Who sends a request: an account, somebody without a key, or with a key that was invented. */
export type Caller = AccountName | 'nobody' | 'invented key';

/** The seven operations of the API. */
export const operations = {
  listOrders: 'GET /v1/orders',
  createOrder: 'POST /v1/orders',
  getOrder: 'GET /v1/orders/:id',
  updateOrder: 'PATCH /v1/orders/:id',
  listNotifications: 'GET /v1/notifications',
  readNotification: 'PATCH /v1/notifications/:id',
  registerWebhook: 'POST /v1/webhooks',
} as const;
export type Operation = keyof typeof operations;

/** A request to the service and what came back. */
export interface Call {
  /** Null for a request of an extension. */
  operation: Operation | null;
  caller: Caller;
  method: string;
  url: string;
  headers: [string, string][];
  body: Buffer | null;
  /** Milliseconds since 1970. */
  sentAt: number;
  endedAt: number;
  /** Null if there was no response; then `error` says why. */
  response: { status: number; headers: [string, string][]; body: Buffer } | null;
  error: string | null;
  /** The response's body as JSON; undefined if it is none. */
  json: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the service accepted a request. */
export const isAccepted = ({ response }: Call): boolean =>
  response !== null && response.status >= 200 && response.status < 300;

/** Whether it neither accepted nor rejected it: an error of the server, a limit of requests, or no response. */
export const isUnclear = ({ response }: Call): boolean =>
  response === null || response.status >= 500 || response.status === 429;

/** Whether it exceeded a limit of requests, also when it was sent again: that shows nothing else. */
export const isLimited = ({ response }: Call): boolean => response?.status === 429;

/** The value of a header, whose name is in lower case; null if it is absent. */
export const findHeader = (headers: Call['headers'], name: string): string | null =>
  headers.find(([candidate]) => candidate.toLowerCase() === name)?.[1] ?? null;

/**
 * By how much the clock of the service is ahead of that of the kit, in milliseconds, by `Date` of its responses. 0 if a difference cannot
 * be told from the precision of that header, which is a second.
 */
export function measureClockOffset(calls: readonly Call[]): number {
  let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { method, response, sentAt, endedAt } of calls) {
    // A response to GET may be an old one of a cache.
    if (method === 'GET') continue;
    const date = Date.parse(findHeader(response?.headers ?? [], 'date') ?? '');
    if (Number.isNaN(date)) continue;
    least = Math.max(least, date - endedAt);
    most = Math.min(most, date + 1000 - sentAt);
  }
  const isUnknown = (least <= 0 && most >= 0) || !Number.isFinite(least) || least > most;
  return isUnknown ? 0 : (least + most) / 2;
}

/** Whether the path of a request ends with an ID. */
export const isFor = ({ url }: Pick<Call, 'url'>, id: unknown): boolean =>
  url.endsWith(`/${encodeURIComponent(String(id))}`);

/** `HTTP 403`, or why there was no response. */
export const outcome = ({ response, error }: Call): string =>
  response === null ? `no response (${error})` : `HTTP ${response.status}`;

/**
 * The content of `data`. Without that field, the body itself: FMT-1 has found that, and other checks can still judge what is there.
 */
function dataIn({ json }: Call): unknown {
  return isObject(json) && Object.hasOwn(json, 'data') ? json.data : json;
}

/** The object that an accepted request returned; null if there is none. */
export function objectIn(call: Call): JsonObject | null {
  const data = isAccepted(call) ? dataIn(call) : null;
  return isObject(data) ? data : null;
}

/** The list that an accepted request returned: `data`, or the first array one level below it. */
export function listIn(call: Call): JsonObject[] {
  const data = isAccepted(call) ? dataIn(call) : null;
  const list = Array.isArray(data)
    ? data
    : isObject(data)
      ? (Object.values(data).find(Array.isArray) ?? [])
      : [];
  return list.filter(isObject);
}

/** Whether a list may be one page of several: then what is not in it may be on another one. */
export function mayBeCut(call: Call): boolean {
  const { length } = listIn(call);
  const looksLikeCursor = (value: unknown) =>
    isObject(value) &&
    Object.entries(value).some(
      ([name, content]) =>
        (/cursor|next|page|more/i.test(name) && content !== null && content !== false) ||
        (/total|count/i.test(name) && Number(content) > length),
    );
  return (
    length >= 20 ||
    looksLikeCursor(call.json) ||
    (isObject(call.json) && Object.values(call.json).some(looksLikeCursor)) ||
    findHeader(call.response?.headers ?? [], 'link') !== null
  );
}
