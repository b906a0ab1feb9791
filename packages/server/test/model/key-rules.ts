import type { CreateKey } from '@tradepost/contract/wire';
import type { ModelAccount, ModelKey } from './account-state';
import { addAudit, byKey } from './audit-rules';
import { type Call, describeRoute } from './call';
import { replyWithPage } from './list-rules';
import { anything } from './match';
import {
  formatTime,
  type ModelState,
  placeholder,
  type Query,
  Rejection,
  type Reply,
} from './state';

const second = 1_000;
/** Source: decision 0073. */
const codeLifetime = 60 * second;
const sessionLifetime = 12 * 60 * 60 * second;

/** Who makes a call. */
export interface Caller {
  account: ModelAccount;
  key: ModelKey;
}

/** When a key was revoked, or, of a session, its key. */
export function revokedAtOf(state: ModelState, key: ModelKey): number | null {
  if (!key.isSession || key.revokedAt !== null) return key.revokedAt;
  return state.keys.find(({ id }) => id === key.parentId)?.revokedAt ?? null;
}

function isUsable(state: ModelState, key: ModelKey): boolean {
  const isExpired = key.expiresAt !== null && key.expiresAt <= state.now;
  return revokedAtOf(state, key) === null && !isExpired;
}

/** Finds out who makes a call, and rejects what the key may not do. */
export function authenticate(state: ModelState, call: Call): Caller {
  if (call.apiKey === null) throw new Rejection('missing_api_key');
  const key = state.keys.find(({ text }) => text === call.apiKey);
  const account = state.accounts.find(({ id }) => id === key?.accountId);
  if (key === undefined || account === undefined || !isUsable(state, key)) {
    throw new Rejection('invalid_api_key');
  }
  if (account.suspendedAt !== null) throw new Rejection('account_suspended');
  // Any key signs in, and signs itself out.
  const isForAny =
    call.route === 'signInCodes.create' || (call.route === 'keys.revoke' && call.id === key.id);
  if (key.readOnly && !isForAny && describeRoute(call).method !== 'GET') {
    throw new Rejection('read_only_api_key');
  }
  return { account, key };
}

const orNull = (time: number | null) => (time === null ? null : formatTime(time));

function showKey(state: ModelState, key: ModelKey, caller: Caller) {
  const { id, prefix, readOnly, name, isSession, createdAt, expiresAt, parentId } = key;
  return {
    ...{ id, prefix, readOnly, name, kind: isSession ? 'session' : 'key' },
    createdAt: formatTime(createdAt),
    expiresAt: orNull(expiresAt),
    revokedAt: orNull(revokedAtOf(state, key)),
    // It is stored with a delay.
    lastUsedAt: anything,
    createdBy: parentId,
    current: id === caller.key.id,
  };
}

/** Shows an account, as a request with this key sees it. */
export function showAccount({ id, kind, name, createdAt }: ModelAccount, key: ModelKey) {
  const { prefix, readOnly, expiresAt } = key;
  const shownKey = { id: key.id, prefix, readOnly, expiresAt: orNull(expiresAt) };
  return { id, kind, name, createdAt: formatTime(createdAt), key: shownKey };
}

/** Adds a key. */
export function addKey(
  state: ModelState,
  key: Pick<ModelKey, 'accountId' | 'readOnly' | 'expiresAt'> & Partial<ModelKey>,
): ModelKey {
  const id = placeholder(state, 'key');
  const added: ModelKey = {
    ...{ name: null, isSession: false, parentId: null, revokedAt: null, ...key },
    id,
    number: state.created,
    text: placeholder(state, 'apiKey'),
    prefix: placeholder(state, 'prefix'),
    createdAt: state.now,
  };
  state.keys.push(added);
  return added;
}

/** `GET /v1/keys`. */
export function listKeys(state: ModelState, caller: Caller, query: Query = {}): Reply {
  const { account } = caller;
  const own = state.keys.filter(({ accountId }) => accountId === account.id);
  return replyWithPage(state, { list: 'keys', account, query }, own, (key) =>
    showKey(state, key, caller),
  );
}

/** `POST /v1/keys`. No account of the model has as many keys as it may have. */
export function createKey(
  state: ModelState,
  caller: Caller,
  { name = null, readOnly = false, expiresIn }: Omit<CreateKey, 'name'> & { name?: string | null },
): Reply {
  const { key: maker } = caller;
  if (maker.isSession) throw new Rejection('session_not_allowed');
  const expiresAt = expiresIn === undefined ? maker.expiresAt : state.now + expiresIn * second;
  if (maker.expiresAt !== null && expiresAt !== null && expiresAt > maker.expiresAt) {
    throw new Rejection('validation_failed');
  }
  const { accountId, id: parentId } = maker;
  const key = addKey(state, { accountId, readOnly, expiresAt, name, parentId });
  addAudit(state, byKey(maker), 'key.created', key);
  return { status: 201, body: { data: { ...showKey(state, key, caller), key: key.text } } };
}

/** Revokes a key that is not revoked yet. */
export function endKey(state: ModelState, key: ModelKey, onRevoked: () => void): void {
  if (revokedAtOf(state, key) !== null) return;
  key.revokedAt = state.now;
  onRevoked();
}

/** `DELETE /v1/keys/:id`. */
export function revokeKey(state: ModelState, { account, key: by }: Caller, id?: string): Reply {
  const key = state.keys.find((one) => one.id === id && one.accountId === account.id);
  if (key === undefined) throw new Rejection('key_not_found');
  endKey(state, key, () => addAudit(state, byKey(by), 'key.revoked', key));
  return { status: 204 };
}

/** `POST /v1/sign-in-codes`. No key of the model has as many open codes as it may have. */
export function createCode(state: ModelState, { key }: Caller): Reply {
  if (key.isSession) throw new Rejection('session_not_allowed');
  const expiresAt = Math.min(state.now + codeLifetime, key.expiresAt ?? Infinity);
  const text = placeholder(state, 'code');
  state.codes.push({ text, keyId: key.id, expiresAt, isUsed: false });
  return { status: 201, body: { data: { code: text, expiresAt: formatTime(expiresAt) } } };
}

/** `POST /v1/sessions`. No key of the model has as many sessions as it may have. */
export function createSession(state: ModelState, { code: text }: { code: string }): Reply {
  const code = state.codes.find((one) => one.text === text);
  const maker = state.keys.find(({ id }) => id === code?.keyId);
  const account = state.accounts.find(({ id }) => id === maker?.accountId);
  const isOpen = code !== undefined && !code.isUsed && code.expiresAt > state.now;
  if (!isOpen || !maker || !account || !isUsable(state, maker)) {
    state.wrongCodes += 1;
    throw new Rejection('invalid_sign_in_code');
  }
  if (account.suspendedAt !== null) throw new Rejection('account_suspended');
  code.isUsed = true;
  const { accountId, readOnly, id: parentId } = maker;
  const expiresAt = Math.min(state.now + sessionLifetime, maker.expiresAt ?? Infinity);
  const session = addKey(state, { accountId, readOnly, expiresAt, isSession: true, parentId });
  addAudit(state, byKey(maker), 'key.created', session);
  return {
    status: 201,
    body: { data: { key: session.text, account: showAccount(account, session) } },
  };
}
