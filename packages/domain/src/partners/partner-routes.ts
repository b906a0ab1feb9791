import { type contract, pageLimit } from '@tradepost/contract';
import { decodeCursor, slicePage } from '../kernel/pagination';
import type { RouteHandlers } from '../route-handlers';
import type { PartnerStore } from './partner';

/** Creates the handlers of the partner endpoint. */
export function partnerRoutes(partners: PartnerStore): RouteHandlers<typeof contract.partners> {
  return {
    async list({ caller, query, signal, requireValidKey }) {
      const { name, limit = pageLimit.default, cursor } = query;
      const page = { after: cursor ? decodeCursor(cursor, 'usr') : null, limit: limit + 1 };
      const found = await partners.listPartners(caller.accountId, name, page, signal);
      if (name !== undefined) await requireValidKey();
      const { items, nextCursor } = slicePage(found, limit);
      const data = items.map(({ id, kind, name }) => ({ id, kind, name }));
      return { status: 200, body: { data, nextCursor } };
    },
  };
}
