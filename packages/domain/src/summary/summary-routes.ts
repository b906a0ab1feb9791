import type { contract } from '@tradepost/contract';
import type { Clock } from '../kernel/context';
import type { RouteHandlers } from '../route-handlers';
import { Summaries, type SummaryStore } from './summary';

/** Creates the handler of the summary endpoint. */
export function summaryRoutes(
  store: SummaryStore,
  clock: Clock,
): RouteHandlers<typeof contract.summary> {
  const summaries = new Summaries(store, clock);
  return {
    async get({ caller }) {
      return { status: 200, body: { data: await summaries.get(caller) } };
    },
  };
}
