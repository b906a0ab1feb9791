import type {
  CreatedWebhook,
  Delivery,
  DeliveryDetails,
  EventType,
  Order,
} from '@tradepost/contract';
import type { Listing } from '@tradepost/domain/listings/listing';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import type { ServerOptions } from '../../src/runtime/server';
import { CapturedLog } from '../helpers/captured-log';
import { Receiver, type Respond } from '../helpers/receiver';
import { type Actor, getData, type Service, startService } from './service';

/** A receiver, and the webhook that sends to it. */
export interface Hook {
  receiver: Receiver;
  webhook: CreatedWebhook;
}

/** A real server with accounts and a listing, which delivers to real local receivers on a fake clock. */
export class DeliveringService {
  private constructor(
    readonly service: Service,
    readonly clock: FakeClock,
    readonly logs: CapturedLog,
    readonly buyer: Actor,
    readonly seller: Actor,
    readonly agent: Actor,
    readonly listing: Listing,
  ) {}

  /** Starts a server. The caller closes it. */
  static async start(options: Partial<ServerOptions> = {}): Promise<DeliveringService> {
    const clock = new FakeClock();
    const logs = new CapturedLog();
    const service = await startService({
      clock,
      log: logs.log,
      webhookPolicy: insecureWebhookPolicy,
      random: () => 0.5,
      ...options,
    });
    const buyer = await service.account('buyer');
    const seller = await service.account('seller');
    const agent = await service.account('agent');
    const listing = await service.listing(seller, agent, 1_000);
    return new DeliveringService(service, clock, logs, buyer, seller, agent, listing);
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** Starts a receiver and registers it, by default for new orders of the buyer. */
  async hook(
    respond: Respond,
    { as = this.buyer, events = ['order.created'] }: { as?: Actor; events?: EventType[] } = {},
  ): Promise<Hook> {
    const receiver = await Receiver.open(respond);
    const body = { url: `${receiver.origin}/hook`, events };
    const got = await this.service.request('POST /v1/webhooks', { as, body });
    return { receiver, webhook: getData<CreatedWebhook>(got) };
  }

  /** Places an order of the buyer. */
  async place(): Promise<Order> {
    const body = { listingId: this.listing.id, quantity: 1 };
    return getData<Order>(await this.service.request('POST /v1/orders', { as: this.buyer, body }));
  }

  /** Waits until one more attempt is recorded. */
  async recorded(): Promise<void> {
    await this.logs.next('attempt');
  }

  /** Places an order, and waits until a number of attempts are recorded. */
  async placeAndRecord(attempts = 1): Promise<Order> {
    const order = await this.place();
    for (let count = 0; count < attempts; count += 1) await this.recorded();
    return order;
  }

  /** Sends a GET request as the buyer, and returns its `data`. */
  async see<Data>(path: string): Promise<Data> {
    return getData<Data>(await this.service.request(`GET ${path}`, { as: this.buyer }));
  }

  /** The buyer's deliveries, newest first. */
  deliveries(query = ''): Promise<Delivery[]> {
    return this.see(`/v1/deliveries${query}`);
  }

  /** The buyer's newest delivery, in detail. */
  async newest(): Promise<DeliveryDetails> {
    const [newest] = await this.deliveries('?limit=1');
    if (newest === undefined) throw new Error('there is no delivery');
    return this.see(`/v1/deliveries/${newest.id}`);
  }

  /** Sets the clock to when the next delivery is due, and lets the worker attempt it. */
  async skipToNext(): Promise<void> {
    const due = await this.service.store.deliveries.nextDueAt();
    if (due === null) throw new Error('nothing is due any more');
    this.clock.set(Math.max(due, this.clock.now()));
    // A worker polls at least once a second.
    await this.clock.advance(1_000);
  }

  /** Lets an endpoint reject one delivery five times, until its backoff begins. */
  async failUntilBackoff(): Promise<void> {
    await this.placeAndRecord();
    for (let count = 1; count < 5; count += 1) {
      await this.skipToNext();
      await this.recorded();
    }
  }
}
