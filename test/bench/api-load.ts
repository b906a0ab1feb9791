import type { ApiClient } from './api-client';
import { machineTime, openLoop } from './loops';
import type { TradingAccounts } from './trading-accounts';

type Request = (api: ApiClient, orders: readonly string[], number: number) => Promise<unknown>;

const pick = (orders: readonly string[], number: number) => orders[number % orders.length] ?? '';

const list: Request = (api) => api.listOrders();
const get: Request = (api, orders, number) => api.getOrder(pick(orders, number));
const create: Request = (api) => api.createOrder();
const confirm: Request = (api, orders, number) => api.confirmOrder(pick(orders, number));

/** Ten requests in a row: four lists, three reads, two orders, one change. */
const mix: readonly Request[] = [list, get, create, list, get, confirm, list, get, create, list];

/** Describes the mix, for a report. */
export const mixInWords = '40% lists, 30% reads, 20% new orders, 10% changes';

/** Sends the mix at a steady rate. Returns the milliseconds that each request took. */
export async function loadApi(
  api: ApiClient,
  { orders }: TradingAccounts,
  rate: { perSecond: number; seconds: number },
): Promise<number[]> {
  const durations: number[] = [];
  await openLoop(rate, async (number) => {
    const request = mix[number % mix.length] ?? list;
    const sent = machineTime();
    await request(api, orders, number);
    durations.push(machineTime() - sent);
  });
  return durations;
}
