import { type Order, type OrderStatus, Tradepost } from '@tradepost/sdk';
import { runServerCommand } from '../../helpers/run-server-command';
import { SeededRandom } from '../../helpers/seeded-random';

/** What a member of the trade signs in with. */
interface Member {
  id: string;
  apiKey: string;
}

/** The accounts and listings of the pictures. */
export interface Market {
  seller: Member;
  agent: Member;
  buyers: Member[];
  listings: { id: string }[];
}

const buyerNames = ['Harbour Street Café', 'Corner Shop', 'Northern Light Roasters', 'Café Zürich'];
const goods = [
  { title: 'Coffee, washed, 60 kg bags', quantity: 2_000, low: 100, hasAgent: true },
  { title: 'Coffee, natural, 30 kg bags', quantity: 260, low: 120, hasAgent: true },
  { title: 'Tea, second flush, 5 kg chests', quantity: 900, low: 50, hasAgent: false },
];

/** Creates the accounts and the listings in an empty database. */
export async function createMarket(database: string): Promise<Market> {
  const add = (kind: string, name: string) =>
    runServerCommand<Member>(['accounts', 'create', '--kind', kind, '--name', name], database);
  const seller = await add('seller', 'Highland Growers');
  const agent = await add('agent', 'Quayside Brokers');
  const buyers: Member[] = [];
  for (const name of buyerNames) buyers.push(await add('buyer', name));
  const listings: { id: string }[] = [];
  for (const { title, quantity, low, hasAgent } of goods) {
    const args = ['--seller', seller.id, '--title', title, '--quantity', String(quantity)];
    const more = ['--low-threshold', String(low), ...(hasAgent ? ['--agent', agent.id] : [])];
    listings.push(await runServerCommand(['listings', 'create', ...args, ...more], database));
  }
  return { seller, agent, buyers, listings };
}

const next: Record<string, OrderStatus | undefined> = {
  pending: 'confirmed',
  confirmed: 'fulfilling',
  fulfilling: 'completed',
};

const reasons: Record<OrderStatus, string[]> = {
  pending: [],
  confirmed: ['Stock checked by hand', 'Price agreed by phone'],
  fulfilling: ['Picked, waits for the carrier', 'Leaves with the 14:00 truck'],
  completed: ['Signed for at the gate'],
  cancelled: ['Buyer asked to cancel', 'Damaged in the warehouse', 'Credit limit reached'],
};

/** How far back it begins, and how much time each step takes, in hours. */
const [dayHours, stepHours] = [24, 0.25];

/**
 * Places and moves orders over the last 24 hours, more of them in the middle of the day, always in the same way.
 *
 * @param setHoursLeft Sets the clock of the server to so many hours before now.
 * @param settle Waits until what a step has caused is done.
 */
export async function tradeForADay(
  baseUrl: string,
  { seller, agent, buyers, listings }: Market,
  setHoursLeft: (hours: number) => Promise<void>,
  settle: () => Promise<void>,
): Promise<void> {
  const random = new SeededRandom('screenshots');
  const connect = ({ apiKey }: Member) => new Tradepost({ baseUrl, apiKey });
  const [ours, theirs, clients] = [connect(seller), connect(agent), buyers.map(connect)];
  let open: Order[] = [];

  async function place(): Promise<void> {
    const listing = random.pick(listings);
    const order = { listingId: listing.id, quantity: 1 + random.below(12) };
    open.push(await random.pick(clients).orders.create(order));
  }

  async function move(order: Order): Promise<void> {
    const isCancelled = random.chance(0.12);
    const status = isCancelled ? 'cancelled' : next[order.status];
    if (status === undefined) return;
    const reason = isCancelled || random.chance(0.3) ? random.pick(reasons[status]) : undefined;
    const client = order.agentId !== null && random.chance(0.4) ? theirs : ours;
    Object.assign(
      order,
      await client.orders.update(order.id, { status, ...(reason && { reason }) }),
    );
  }

  for (let hoursLeft = dayHours; hoursLeft > 0; hoursLeft -= stepHours) {
    await setHoursLeft(hoursLeft);
    const busy = 0.4 + 1.2 * Math.sin((Math.PI * hoursLeft) / dayHours);
    for (let count = Math.round(busy * (0.5 + random.next())); count > 0; count -= 1) await place();
    for (const order of open) if (random.chance(0.12)) await move(order);
    open = open.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
    await settle();
  }
  await setHoursLeft(0);
  await place();
  for (const order of open.slice(0, 5)) await move(order);
  await settle();
}
