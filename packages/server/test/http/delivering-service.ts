import type {
  CreatedWebhook,
  Delivery,
  DeliveryDetails,
  EventType,
  Order,
} from '@tradepost/contract';
import type { Listing } from '../../src/features/listings/listing';
import { insecureWebhookPolicy } from '../../src/features/webhooks/webhook-policy';
import type { ServerOptions } from '../../src/runtime/server';
import { CapturedLog } from '../helpers/captured-log';
import { FakeClock } from '../helpers/fake-clock';
import { Receiver, type Respond } from '../helpers/receiver';
import { type Actor, getData, type Service, startService } from './service';

/** A receiver, and the webhook that sends to it. */
export interface Hook {
  receiver: Receiver;
  webhook: CreatedWebhook;
}

/** A real server with someone who trades on it, which delivers to real local receivers by a clock that stands still. */
export class DeliveringService {
  private constructor(
    readonly service: Service,
    readonly clock: FakeClock,
    readonly book: CapturedLog,
    readonly buyer: Actor,
    readonly seller: Actor,
    readonly agent: Actor,
    readonly listing: Listing,
  ) {}

  /** Starts one. It is to be closed. */
  static async start(options: Partial<ServerOptions> = {}): Promise<DeliveringService> {
    const clock = new FakeClock();
    const book = new CapturedLog();
    const service = await startService({
      clock,
      log: book.log,
      webhookPolicy: insecureWebhookPolicy,
      random: () => 0.5,
      ...options,
    });
    const buyer = await service.account('buyer');
    const seller = await service.account('seller');
    const agent = await service.account('agent');
    const listing = await service.listing(seller, agent, 1_000);
    return new DeliveringService(service, clock, book, buyer, seller, agent, listing);
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** Opens a receiver and registers it: for new orders of the buyer by default. */
  async hook(
    respond: Respond,
    { as = this.buyer, events = ['order.created'] }: { as?: Actor; events?: EventType[] } = {},
  ): Promise<Hook> {
    const receiver = await Receiver.open(respond);
    const body = { url: `${receiver.origin}/hook`, events };
    const got = await this.service.ask('POST /v1/webhooks', { as, body });
    return { receiver, webhook: getData<CreatedWebhook>(got) };
  }

  /** Places an order of the buyer. */
  async place(): Promise<Order> {
    const body = { listingId: this.listing.id, quantity: 1 };
    return getData<Order>(await this.service.ask('POST /v1/orders', { as: this.buyer, body }));
  }

  /** Waits until one more attempt is recorded. */
  async recorded(): Promise<void> {
    await this.book.next('attempt');
  }

  /** Places an order, and waits until so many attempts that it sets off are recorded. */
  async placeAndRecord(attempts = 1): Promise<Order> {
    const order = await this.place();
    for (let count = 0; count < attempts; count += 1) await this.recorded();
    return order;
  }

  /** Asks as the buyer for what is there, and takes its `data`. */
  async see<Data>(path: string): Promise<Data> {
    return getData<Data>(await this.service.ask(`GET ${path}`, { as: this.buyer }));
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

  /** Sets the clock to when the next delivery is due, without living through the time between, and has it tried. */
  async skipToNext(): Promise<void> {
    const due = await this.service.store.deliveries.nextDueAt();
    if (due === null) throw new Error('nothing is due any more');
    this.clock.set(Math.max(due, this.clock.now()));
    // No worker sleeps longer.
    await this.clock.advance(1_000);
  }

  /** Lets an endpoint fail until it is held, by one delivery that it rejects five times. */
  async failUntilHeld(): Promise<void> {
    await this.placeAndRecord();
    for (let count = 1; count < 5; count += 1) {
      await this.skipToNext();
      await this.recorded();
    }
  }
}
