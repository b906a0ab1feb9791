import type { AccountKind } from '@tradepost/contract/wire';
import { formatTime, type ModelKey, type ModelState, placeholder } from './state';

/** A command of `tradepost-server`. Accounts get their first key with them. */
export type Operation =
  | { kind: 'createAccount'; accountKind: AccountKind; name: string }
  | { kind: 'createKey'; accountId: string; readOnly: boolean; expiresIn: number | null }
  | { kind: 'revokeKey'; keyId: string }
  | { kind: 'listKeys'; accountId: string | undefined }
  | {
      kind: 'createListing';
      sellerId: string;
      agentId: string | null;
      units: number;
      lowThreshold: number | null;
    };

/** Shows a key to the operator. */
function showKey({ id, accountId, prefix, readOnly, createdAt, expiresAt, revokedAt }: ModelKey) {
  const orNull = (time: number | null) => (time === null ? null : formatTime(time));
  const times = { createdAt: formatTime(createdAt), expiresAt: orNull(expiresAt) };
  return { id, accountId, prefix, readOnly, ...times, revokedAt: orNull(revokedAt) };
}

function addKey(
  state: ModelState,
  key: { accountId: string; readOnly: boolean; expiresIn: number | null },
): { keyId: string; apiKey: string; prefix: string } {
  const added: ModelKey = {
    id: placeholder(state, 'key'),
    text: placeholder(state, 'apiKey'),
    prefix: placeholder(state, 'prefix'),
    accountId: key.accountId,
    readOnly: key.readOnly,
    createdAt: state.now,
    expiresAt: key.expiresIn === null ? null : state.now + key.expiresIn,
    revokedAt: null,
  };
  state.keys.push(added);
  return { keyId: added.id, apiKey: added.text, prefix: added.prefix };
}

/** Applies an operator's command to the state. Returns the expected result. */
export function applyOperation(state: ModelState, operation: Operation): unknown {
  switch (operation.kind) {
    case 'createAccount': {
      const { accountKind: kind, name } = operation;
      const id = placeholder(state, 'usr');
      state.accounts.push({ id, kind, name, createdAt: state.now });
      return { id, ...addKey(state, { accountId: id, readOnly: false, expiresIn: null }) };
    }
    case 'createKey':
      return addKey(state, operation);
    case 'revokeKey': {
      const key = state.keys.find(({ id }) => id === operation.keyId);
      if (key === undefined) return null;
      key.revokedAt ??= state.now;
      return showKey(key);
    }
    case 'listKeys': {
      const { accountId } = operation;
      const keys = state.keys.filter(
        (key) => accountId === undefined || key.accountId === accountId,
      );
      return keys.toReversed().map(showKey);
    }
    case 'createListing': {
      const { sellerId, agentId, units: available, lowThreshold } = operation;
      const id = placeholder(state, 'lst');
      const isLow = lowThreshold !== null && available < lowThreshold;
      state.listings.push({ id, sellerId, agentId, available, lowThreshold, isLow });
      return { id };
    }
  }
}
