import type { AccountEvent } from '@tradepost/sdk';
import { ApiClient, type ClientDependencies } from './api-client';
import type { EventLogReading } from './operation-log';
import type { Trader } from './seed-data';

/** How many responses of other clients a reader waits for at the end of the log. */
const responsesBeforePoll = 20;
const pageSize = 100;

/** A client that polls the event log of its account, from its start and each time at another process. */
export class EventReader {
  readonly #dependencies: ClientDependencies;
  readonly #client: ApiClient;
  readonly #reading: EventLogReading;
  #cursor: string | undefined;
  #isAtEnd = false;

  constructor(trader: Trader, dependencies: ClientDependencies) {
    this.#dependencies = dependencies;
    this.#client = new ApiClient(trader.apiKey, dependencies);
    this.#reading = { accountId: trader.id, events: [] };
    dependencies.log.eventLogs.push(this.#reading);
  }

  /** Reads one page; at the end of the log, after some activity of other clients. */
  async act(pausing: Promise<void>): Promise<void> {
    const { responses } = this.#dependencies.activity;
    if (this.#isAtEnd) await Promise.race([responses.waitForMore(responsesBeforePoll), pausing]);
    this.#isAtEnd = (await this.#readPage()) === 0;
  }

  /** Reads until the end of the log. */
  async catchUp(): Promise<void> {
    while ((await this.#readPage()) > 0);
  }

  /** Reads the whole log again. What was polled must be the same: otherwise something appeared behind the cursor. */
  async compareWithStart(): Promise<void> {
    const again: AccountEvent[] = [];
    let cursor: string | undefined;
    for (let hasMore = true; hasMore; ) {
      const page = await this.#list(cursor);
      again.push(...page.data);
      hasMore = page.data.length > 0;
      cursor = page.nextCursor;
    }
    const { accountId, events } = this.#reading;
    const index = again.findIndex(({ id }, position) => id !== events[position]?.id);
    if (index < 0 && again.length === events.length) return;
    const at = index < 0 ? again.length : index;
    this.#dependencies.log.violations.push(
      `The event log of ${accountId} has ${again[at]?.id} at position ${at}, but a poll returned ${events[at]?.id}.`,
    );
  }

  /** Returns how many events the page has. */
  async #readPage(): Promise<number> {
    const { data, nextCursor } = await this.#list(this.#cursor);
    this.#cursor = nextCursor;
    this.#reading.events.push(...data);
    return data.length;
  }

  async #list(after: string | undefined) {
    const position = after === undefined ? {} : { after };
    const response = await this.#client.request(
      async (tradepost) => await tradepost.events.list({ ...position, limit: pageSize }),
    );
    if ('code' in response) throw new Error(`Reading events was rejected as ${response.code}.`);
    return response.value;
  }
}
