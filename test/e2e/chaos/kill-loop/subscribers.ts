import { type EventType, eventTypes } from '@tradepost/sdk';
import type { Arrival } from './operation-log';
import { type ReceiverParts, RecordingReceiver, type Temper } from './recording-receiver';
import type { Market, Trader } from './seed-data';
import { type ClientParts, clientOf, untilAnswered } from './until-answered';

/** What subscribers share with their receivers and with other clients. */
export type SubscriberParts = ClientParts & Pick<ReceiverParts, 'random'>;

/** One account's webhook: what it is told of, and how its receiver behaves. */
interface Wanted {
  trader: Trader;
  temper: Temper;
  events: EventType[];
}

const changes: EventType[] = ['order.created', 'order.status_changed'];

function webhooksOf({ buyers: [buyer, other], seller, agent }: Market): Wanted[] {
  return [
    { trader: buyer, temper: 'steady', events: changes },
    { trader: other, temper: 'refusing', events: changes },
    { trader: seller, temper: 'slow', events: [...eventTypes] },
    { trader: seller, temper: 'steady', events: ['order.status_changed'] },
    { trader: agent, temper: 'refusing', events: [...eventTypes] },
  ];
}

/** Accounts that register webhooks, and the receivers these lead to. */
export class Subscribers {
  readonly #parts: SubscriberParts;
  readonly #onAcknowledged: (arrival: Arrival) => void;
  readonly #receivers: RecordingReceiver[] = [];

  /** @param onAcknowledged Told of each delivery that a receiver acknowledged. */
  constructor(parts: SubscriberParts, onAcknowledged: (arrival: Arrival) => void) {
    this.#parts = parts;
    this.#onAcknowledged = onAcknowledged;
  }

  /** Registers the webhooks that a market has from the beginning, of every temper. */
  async subscribeAll(market: Market): Promise<void> {
    for (const wanted of webhooksOf(market)) await this.#subscribe(wanted);
  }

  /** Registers one more, whatever becomes of the server meanwhile: a fresh endpoint has nothing in flight. */
  async subscribeOneMore({ seller, agent }: Market): Promise<void> {
    const { random } = this.#parts;
    const trader = random.pick([seller, agent]);
    const temper = random.pick(['steady', 'slow', 'refusing'] as const);
    await this.#subscribe({ trader, temper, events: changes });
  }

  /** Has all receivers acknowledge everything from here on. */
  calmDown(): void {
    for (const receiver of this.#receivers) receiver.calmDown();
  }

  /** Ends all receivers. */
  async close(): Promise<void> {
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
  }

  async #subscribe({ trader, temper, events }: Wanted): Promise<void> {
    const { server, diary, activity, random } = this.#parts;
    const number = this.#receivers.length;
    const receiver = await RecordingReceiver.open(temper, {
      diary,
      activity,
      random: random.stream(`receiver ${number}`),
      currentRun: () => server.run,
      onAcknowledged: this.#onAcknowledged,
    });
    this.#receivers.push(receiver);
    const client = clientOf(server, trader.apiKey);
    const key = { idempotencyKey: `webhook-${number}` };
    const send = () => client.webhooks.create({ url: receiver.url, events }, key);
    const answer = await untilAnswered(send, this.#parts);
    if ('code' in answer) {
      diary.faults.push(`Webhook ${number} was refused as ${answer.code}.`);
      return;
    }
    const { id: webhookId } = answer.value;
    receiver.isFor(answer.value);
    const since = performance.now();
    diary.subscriptions.push({ webhookId, accountId: trader.id, kinds: events, since });
  }
}
