import { endpoints, type ListEvents } from '@tradepost/contract/wire';
import type { Call } from '../internal/call';
import { followPages } from '../internal/follow-pages';
import { type ListCall, listCall } from '../internal/list-call';
import { readEndlessPage } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';
import type { WebhookEvent } from '../webhooks/webhook-event';

/**
 * An event that the account may see: what its deliveries carry, and its id. A union told apart by its
 * `event` field; its last member stands for kinds that this version does not know.
 */
export type AccountEvent = {
  /** `evt_<id>`: what the header `webhook-id` of its deliveries says. */
  id: string;
} & WebhookEvent;

/** One page of the account's events, oldest first. Unlike that of a list, no page is the last. */
export interface EventsPage {
  /** The events of this page; empty when nothing has happened yet. */
  data: AccountEvent[];
  /** What `after` must be to go on from here. It is always there: keep it to keep your place. */
  nextCursor: string;
}

/** Where to begin to follow the events, and how. */
export interface FollowEvents {
  /** `nextCursor` of a page that is done with: only events that follow it. */
  after?: string;
  /** Only events of this moment (inclusive) or after it, ISO 8601. Not together with `after`. */
  since?: string;
  /** How many events a page holds at most: 1 to 100, 50 unless told. */
  limit?: number;
  /**
   * How many seconds each request waits for an event when there is none yet: 0 to 30, 25 unless told.
   * They come on top of `timeout` and `deadline`.
   */
  waitSeconds?: number;
}

/** The events as they happen. Loop over it with `for await`; each loop begins anew. */
export interface EventFeed extends AsyncIterable<AccountEvent> {
  /**
   * Loops page by page. A page's `nextCursor`, kept once its events are done with, is where to go on
   * after a restart. A page may be empty.
   */
  pages(): AsyncIterable<EventsPage>;
}

/** How long a request for what has not happened yet waits, unless told. */
const patience = { waitSeconds: 25 };

/**
 * The events that the account may see, whether or not a webhook received them. They go beyond the
 * interface: a service may not have them, and the error says so then.
 */
export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the events so far, oldest first, from the oldest that is kept unless `after` or `since` says
   * otherwise. A loop ends where nothing has happened yet.
   */
  list(query: ListEvents = {}, options?: RequestOptions): ListCall<AccountEvent, EventsPage> {
    return listCall(
      query?.after,
      (after) => this.#transport.answerTo(this.#ask(query, after, options)),
      this.#transport.stuck(endpoints.events.list),
      ({ data }) => data.length === 0,
    );
  }

  /**
   * Follows the events as they happen, after those so far. It ends when the loop is left or `signal`
   * aborts, and asks for nothing until it is looped over. What a call would throw, it throws.
   */
  follow(query: FollowEvents = {}, options?: RequestOptions): EventFeed {
    const transport = this.#transport;
    const pages = () =>
      followPages(
        query?.after,
        (after) => transport.answerTo(this.#ask({ ...patience, ...query }, after, options)),
        transport.stuck(endpoints.events.list),
        options?.signal,
        transport.runtime,
      );
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* page.data;
      },
    };
  }

  #ask(
    query: ListEvents,
    after: string | undefined,
    options: RequestOptions | undefined,
  ): Call<EventsPage> {
    const { since, ...others } = query ?? {};
    // The one says where to start, the other where to go on.
    const from = after === undefined ? { since } : { after };
    return {
      endpoint: endpoints.events.list,
      extension: true,
      query: { ...others, ...from },
      waitSeconds: others.waitSeconds ?? 0,
      options,
      read: readEndlessPage<AccountEvent>,
    };
  }
}
