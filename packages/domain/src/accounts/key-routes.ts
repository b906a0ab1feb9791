import { type contract, pageLimit } from '@tradepost/contract';
import { type Clock, createContext, type IdGenerator } from '../kernel/context';
import { idempotencyKeyReused, withReplayedHeader } from '../kernel/idempotency';
import { decodeCursor, slicePage } from '../kernel/pagination';
import type { RouteHandlers } from '../route-handlers';
import type { AccountStore } from './account';
import { auditKey, toAuditActor } from './account-audit';
import { requireWriteAccess } from './authentication';
import { createKey, keyNotFound, type Tokens, toCreatedKeyResponse, toKeyResponse } from './key';

/** Creates the handlers of the endpoints of API keys. */
export function keyRoutes(
  accounts: AccountStore,
  tokens: Tokens,
  clock: Clock,
  newId: IdGenerator,
): RouteHandlers<typeof contract.keys> {
  return {
    async list({ caller, query }) {
      const limit = query.limit ?? pageLimit.default;
      const after = query.cursor ? decodeCursor(query.cursor, 'key') : null;
      const page = { after, limit: limit + 1 };
      const found = await accounts.listKeyPage(caller.accountId, page);
      const { items, nextCursor } = slicePage(found, limit);
      return {
        status: 200,
        body: { data: items.map((key) => toKeyResponse(key, caller)), nextCursor },
      };
    },

    async create({ caller, body, idempotencyKey, seal, unseal }) {
      const context = createContext(clock, newId);
      const text = tokens.create('tpk');
      const request = { caller, idempotencyKey, context };
      const { response, replayed } = await accounts.createKey(request, (creation) => {
        const key = createKey(caller, body, text, tokens, creation, context);
        // The store must not be able to show a key, not even for a day.
        const data = toCreatedKeyResponse(key, seal(text), caller);
        const audit = auditKey(toAuditActor(caller), 'key.created', key, context);
        return { key, audit, response: { status: 201 as const, headers: {}, body: { data } } };
      });
      const key = unseal(response.body.data.key);
      // Another key of the account sent the first request.
      if (key === null) throw idempotencyKeyReused();
      const shown = { ...response, body: { data: { ...response.body.data, key } } };
      return replayed ? withReplayedHeader(shown) : shown;
    },

    async revoke({ caller, params: { id } }) {
      if (id !== caller.keyId) requireWriteAccess(caller, 'DELETE');
      const owner = await accounts.findKeyOwner(id);
      if (owner?.account.id !== caller.accountId) throw keyNotFound(id);
      const context = createContext(clock, newId);
      await accounts.revokeKey(id, context.now, (key) =>
        auditKey(toAuditActor(caller), 'key.revoked', key, context),
      );
      return { status: 204, body: undefined };
    },
  };
}
