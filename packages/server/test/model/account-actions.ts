import type { AccountKind } from '@tradepost/contract/wire';
import fc from 'fast-check';
import type { ModelAccount, ModelKey } from './account-state';
import {
  action,
  chooseKey,
  defined,
  idempotencyKey,
  index,
  keyOf,
  maybe,
  pick,
  unknownId,
  who,
  withKey,
} from './choices';
import { usableCounts } from './event-rules';
import type { ModelLimits } from './operator-model';
import type { ModelState } from './state';

/** Reads of an account, and requests without a valid key. */
export const accountActions = [
  action('summary.get', who, (state, who) => ({
    call: { apiKey: chooseKey(state, who, []), route: 'summary.get' },
  })),
  action('account.get', who, (state, who) => ({
    call: { apiKey: chooseKey(state, who, []), route: 'account.get' },
  })),
  action('account.get by any key', index, (state, at) => ({
    call: { apiKey: pick(state.keys, at)?.text ?? null, route: 'account.get' },
  })),
  action('no valid key', fc.constantFrom(null, `tpk_${'0'.repeat(38)}`), (_state, apiKey) => ({
    call: { apiKey, route: 'account.get' },
  })),
];

/** Picks a key that no account is observed with. */
export function pickKey(state: ModelState, at: number): ModelKey | undefined {
  const isFirst = ({ id, accountId }: ModelKey) => keyOf(state, accountId, 0)?.id === id;
  const others = state.keys.filter((key) => !isFirst(key));
  return pick(others, at);
}

/**
 * How many codes a key has open at most. More are needed for the rule that the oldest is replaced, but at one time, nobody knows which
 * is the oldest.
 */
const maxCodes = 2;
/** The server limits wrong codes by the time of the system, so there are fewer. */
const maxWrongCodes = 6;

/** Whether another wrong code may be tried. */
export const mayTryCode = ({ wrongCodes }: ModelState) => wrongCodes < maxWrongCodes;

/** Calls about API keys, sign-in codes and sessions. */
export const keyActions = [
  action(
    'keys.create',
    fc.record({
      who,
      name: fc.constantFrom(undefined, undefined, 'export', ''),
      readOnly: fc.constantFrom(undefined, true, false),
      expiresIn: fc.constantFrom(undefined, undefined, 60, 3_600, 0),
      idempotencyKey,
    }),
    (state, { who, idempotencyKey, ...body }) => ({
      call: {
        apiKey: chooseKey(state, who, []),
        route: 'keys.create',
        ...withKey(idempotencyKey),
        body: defined<unknown>(body),
      },
    }),
  ),
  action(
    'keys.revoke',
    fc.record({ who, key: index, isOwn: fc.boolean() }),
    (state, { who, key: at, isOwn }) => {
      const key = pickKey(state, at);
      const owners = key === undefined ? [] : [key.accountId];
      const apiKey = isOwn && key !== undefined ? key.text : chooseKey(state, who, owners);
      return { call: { apiKey, route: 'keys.revoke', id: key?.id ?? `key_${unknownId}` } };
    },
  ),
  action('signInCodes.create', who, (state, who) => {
    const apiKey = chooseKey(state, who, []);
    const key = state.keys.find(({ text }) => text === apiKey);
    const open = state.codes.filter(({ keyId, isUsed }) => keyId === key?.id && !isUsed);
    if (open.length >= maxCodes) return null;
    return { call: { apiKey, route: 'signInCodes.create' } };
  }),
  action('sessions.create', index, (state, at) => {
    if (!mayTryCode(state)) return null;
    const code = pick(state.codes, at)?.text ?? `tpc_${'0'.repeat(38)}`;
    return { call: { apiKey: null, route: 'sessions.create', body: { code } } };
  }),
];

/** Accounts of a test, at most. */
const maxAccounts = 9;

function accountOf(state: ModelState, kind: AccountKind, at: number): ModelAccount | undefined {
  const accounts = state.accounts.filter((account) => account.kind === kind);
  return pick(accounts, at);
}

/** Revokes a key by an operator's command. */
export const revokeKey = action('keys revoke', index, (state, at) => {
  const keyId = pickKey(state, at)?.id ?? `key_${unknownId}`;
  return { operation: { kind: 'revokeKey', keyId } };
});

/** Operators' other commands. */
export const operatorActions = [
  action(
    'accounts create',
    fc.constantFrom<AccountKind[]>('buyer', 'seller', 'agent'),
    (state, accountKind) => {
      const { length } = state.accounts;
      if (length >= maxAccounts) return null;
      return { operation: { kind: 'createAccount', accountKind, name: `Account ${length}` } };
    },
  ),
  action(
    'keys create',
    fc.record({
      account: index,
      readOnly: fc.boolean(),
      expiresIn: fc.constantFrom(null, 1_000, 3_600_000),
    }),
    (state, { account, readOnly, expiresIn }) => {
      const accountId = pick(state.accounts, account)?.id ?? '';
      return { operation: { kind: 'createKey', accountId, readOnly, expiresIn } };
    },
  ),
  action('keys list', maybe(index), (state, at) => {
    const accountId = at === undefined ? undefined : pick(state.accounts, at)?.id;
    return { operation: { kind: 'listKeys', accountId } };
  }),
  action(
    'listings create',
    fc.record({
      seller: index,
      agent: fc.option(index),
      units: fc.integer({ min: 0, max: 40 }),
      lowThreshold: fc.option(fc.integer({ min: 0, max: 30 })),
    }),
    (state, { seller, agent, units, lowThreshold }) => {
      const sellerId = accountOf(state, 'seller', seller)?.id;
      if (sellerId === undefined) return null;
      const agentId = agent === null ? null : (accountOf(state, 'agent', agent)?.id ?? null);
      return { operation: { kind: 'createListing', sellerId, agentId, units, lowThreshold } };
    },
  ),
];

const limits = fc.oneof(
  fc.record({ maxWebhooks: fc.constantFrom(0, 1, 2, null) }),
  fc.record({ maxOpenDeliveries: fc.constantFrom(1, 2, 3, null) }),
);

/** The account that has or had a limit of pending deliveries a second ago: the model knows the count of one. */
export function findLimited(state: ModelState): string | undefined {
  const limited = state.accounts.find(({ maxOpenDeliveries }) => maxOpenDeliveries !== null);
  return limited?.id ?? usableCounts(state)[0]?.accountId;
}

/** Commands that change what an account may do, and housekeeping. At most one account is suspended, because little happens to it. */
export const stateActions = [
  action(
    'accounts suspend, or resume',
    fc.record({ account: index, resumes: fc.constantFrom(true, true, false) }),
    (state, { account, resumes }) => {
      const suspended = state.accounts.find(({ suspendedAt }) => suspendedAt !== null)?.id;
      const accountId = suspended ?? pick(state.accounts, account)?.id;
      if (accountId === undefined) return null;
      const kind = suspended !== undefined && resumes ? 'resumeAccount' : 'suspendAccount';
      return { operation: { kind, accountId } };
    },
  ),
  action(
    'accounts limits',
    fc.record({ account: index, limits }),
    (state, { account, limits }: { account: number; limits: ModelLimits }) => {
      const chosen = pick(state.accounts, account)?.id;
      const limited = 'maxOpenDeliveries' in limits ? findLimited(state) : undefined;
      const accountId = limited ?? chosen;
      if (accountId === undefined) return null;
      return { operation: { kind: 'limitAccount', accountId, limits } };
    },
  ),
  action('disable', index, (state, at) => {
    const failing = state.webhooks.filter(({ failingSince }) => failingSince !== null);
    const webhookId = pick(failing, at)?.id;
    return webhookId === undefined ? null : { operation: { kind: 'disableWebhook', webhookId } };
  }),
];
