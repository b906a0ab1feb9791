import { type EventType, eventTypes } from '@tradepost/sdk';
import { registerWebhook } from '../../../helpers/register-webhook';
import { ApiClient, type ClientDependencies } from './api-client';
import type { Arrival } from './operation-log';
import { type Behavior, type ReceiverDependencies, RecordingReceiver } from './recording-receiver';
import type { Market, Trader } from './seed-data';

/** Dependencies of subscribers, shared with their receivers and with other clients. */
export type SubscriberDependencies = ClientDependencies & Pick<ReceiverDependencies, 'random'>;

/** A webhook to register: its account, its events, and how its receiver behaves. */
interface WebhookSpec {
  trader: Trader;
  behavior: Behavior;
  events: EventType[];
}

const orderEvents: EventType[] = ['order.created', 'order.status_changed'];

function listWebhooks({ buyers: [buyer, other], seller, agent }: Market): WebhookSpec[] {
  return [
    { trader: buyer, behavior: 'healthy', events: orderEvents },
    { trader: other, behavior: 'failing', events: orderEvents },
    { trader: seller, behavior: 'slow', events: [...eventTypes] },
    { trader: seller, behavior: 'healthy', events: ['order.status_changed'] },
    { trader: agent, behavior: 'failing', events: [...eventTypes] },
  ];
}

/** Accounts that register webhooks, and their receivers. */
export class Subscribers {
  readonly #dependencies: SubscriberDependencies;
  readonly #onAcknowledged: (arrival: Arrival) => void;
  readonly #receivers: RecordingReceiver[] = [];

  /** @param onAcknowledged Called for each delivery that a receiver acknowledged. */
  constructor(dependencies: SubscriberDependencies, onAcknowledged: (arrival: Arrival) => void) {
    this.#dependencies = dependencies;
    this.#onAcknowledged = onAcknowledged;
  }

  /** Registers the webhooks that a market has from the start, with every behavior. */
  async subscribeAll(market: Market): Promise<void> {
    for (const spec of listWebhooks(market)) await this.#subscribe(spec);
  }

  /** Registers one more while the server may be killed. A new endpoint has no deliveries in flight. */
  async addSubscription({ seller, agent }: Market): Promise<void> {
    const { random } = this.#dependencies;
    const trader = random.pick([seller, agent]);
    const behavior = random.pick(['healthy', 'slow', 'failing'] as const);
    await this.#subscribe({ trader, behavior, events: orderEvents });
  }

  /** Makes all receivers acknowledge everything from now on. */
  recover(): void {
    for (const receiver of this.#receivers) receiver.recover();
  }

  /** Closes all receivers. */
  async close(): Promise<void> {
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
  }

  async #subscribe({ trader, behavior, events }: WebhookSpec): Promise<void> {
    const { system, log, activity, random } = this.#dependencies;
    const number = this.#receivers.length;
    const receiver = await RecordingReceiver.start(behavior, {
      log,
      activity,
      random: random.stream(`receiver ${number}`),
      currentRun: () => system.run,
      onAcknowledged: this.#onAcknowledged,
    });
    this.#receivers.push(receiver);
    const client = new ApiClient(trader.apiKey, this.#dependencies);
    const key = { idempotencyKey: `webhook-${number}` };
    const response = await client.request((tradepost) =>
      registerWebhook(tradepost, { url: receiver.url, events }, key),
    );
    if ('code' in response) {
      log.violations.push(`Webhook ${number} was rejected as ${response.code}.`);
      return;
    }
    const { id: webhookId } = response.value;
    receiver.assignWebhook(response.value);
    const since = performance.now();
    log.subscriptions.push({ webhookId, accountId: trader.id, types: events, since });
  }
}
