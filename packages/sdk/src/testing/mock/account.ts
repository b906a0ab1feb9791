import type { Account } from '../../index';
import type { HandlerRequest, MockResponse } from './handler';
import type { Market } from './market';

/** Handles `GET /v1/account`. */
export function getAccount(_: Market, { caller }: HandlerRequest): MockResponse {
  const { id, kind, name, createdAt, keyId, apiKey, readOnly } = caller;
  const key = { id: keyId, prefix: `${apiKey.slice(0, 8)}…`, readOnly, expiresAt: null };
  const data: Account = { id, kind, name, createdAt, key };
  return { status: 200, body: { data } };
}
