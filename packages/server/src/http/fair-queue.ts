import type { IncomingMessage } from 'node:http';
import { ipKeyGenerator } from 'express-rate-limit';
import { hashApiKey } from '../kernel/api-key';

/** A queue that takes its first item without moving the others. */
export class Queue<Item> {
  #items: Item[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  get first(): Item | undefined {
    return this.#items[this.#start];
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  take(): Item {
    const item = this.#items[this.#start] as Item;
    this.#items[this.#start] = undefined as never;
    this.#start += 1;
    if (this.#start > this.#items.length / 2) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return item;
  }
}

/** What one sender has in a `FairQueue`. */
interface Flow<Item> {
  sender: string;
  items: Queue<Item>;
}

/**
 * A queue that senders share: it takes one item of each in turn, those of one sender in their order. A sender that had nothing in
 * it is served next, and then takes its turn among the others. So one that sends little hardly waits, however much others send.
 * Source: RFC 8290, section 4.2, with a quantum of one item.
 */
export class FairQueue<Item> {
  readonly #flows = new Map<string, Flow<Item>>();
  /** Senders whose first turn comes. */
  readonly #fresh = new Queue<Flow<Item>>();
  /** Senders that have had a turn; possibly without items now. */
  readonly #served = new Queue<Flow<Item>>();
  #length = 0;
  #wasFresh = false;

  /** How many items it has. */
  get length(): number {
    return this.#length;
  }

  /** How many senders it knows: those with items, and those that had one in this round. */
  get senders(): number {
    return this.#flows.size;
  }

  /** How many items of a sender it has. */
  count(sender: string): number {
    return this.#flows.get(sender)?.items.length ?? 0;
  }

  /** Returns the first item of a sender. */
  first(sender: string): Item | undefined {
    return this.#flows.get(sender)?.items.first;
  }

  add(sender: string, item: Item): void {
    this.#length += 1;
    const known = this.#flows.get(sender);
    if (known !== undefined) {
      known.items.add(item);
      return;
    }
    const flow = { sender, items: new Queue<Item>() };
    flow.items.add(item);
    this.#flows.set(sender, flow);
    this.#fresh.add(flow);
  }

  /** Takes the next item. Call it only if there is one. */
  take(): Item {
    for (;;) {
      const flow = this.#next();
      if (flow.items.length === 0) {
        this.#flows.delete(flow.sender);
        continue;
      }
      // Also if that was its last one: otherwise a sender could be the first again and again.
      this.#served.add(flow);
      this.#length -= 1;
      return flow.items.take();
    }
  }

  /** Alternates between the two, so that any number of new senders leaves the others half of the turns. */
  #next(): Flow<Item> {
    const isFresh = this.#served.length === 0 || (this.#fresh.length > 0 && !this.#wasFresh);
    this.#wasFresh = isFresh;
    return isFresh ? this.#fresh.take() : this.#served.take();
  }
}

/** One client may have all addresses of an IPv6 subnet of this size. */
const subnetBits = 56;
/** How many keys are remembered. */
const maxKnown = 10_000;

/**
 * Names who sends a request before it is authenticated, so that the senders can share the admission queue fairly: the account of
 * its key, if a request with that key was authenticated before, and otherwise the address. What is not a valid key gets no share
 * of its own, or a client could have any number of them.
 */
export class Senders {
  /** The accounts of valid keys, by the SHA-256 of each. */
  readonly #accounts = new Map<string, string>();

  /** Remembers the account of a valid key. */
  readonly learn = (keyHash: string, accountId: string): void => {
    if (this.#accounts.get(keyHash) === accountId) return;
    if (this.#accounts.size >= maxKnown) this.#accounts.clear();
    this.#accounts.set(keyHash, accountId);
  };

  /** Returns the account or the address that a request is from; with IPv6 the subnet. */
  readonly identify = ({ headers, socket }: IncomingMessage): string => {
    const [, key] = /^Bearer +(\S+)/i.exec(headers.authorization ?? '') ?? [];
    const account = key === undefined ? undefined : this.#accounts.get(hashApiKey(key));
    return account ?? ipKeyGenerator(socket.remoteAddress ?? '', subnetBits);
  };
}
