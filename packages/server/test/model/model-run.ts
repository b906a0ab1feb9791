import { type Call, describeRoute, type Route, waitSeconds } from './call';
import type { Planned } from './choices';
import { expectedBody, findDue, finishAttempt, sweep } from './delivery-rules';
import { findFailing } from './disabling-rules';
import { describeReply, type Evidence, isLongPoll, linearize, replyDifference } from './linearize';
import { Bindings } from './match';
import { type Known, observe } from './observe';
import type { Operation } from './operator-model';
import { applyCall } from './service-model';
import {
  emptyState,
  formatTime,
  type ModelDelivery,
  type ModelState,
  type ReceiverBehavior,
} from './state';
import type { ActualReply, SentAttempt, System } from './system';
import { eventTypes } from './webhook-rules';

/** The time at which each run starts. */
export const startTime = Date.parse('2026-11-21T12:00:00.000Z');

/**
 * While attempts are in flight, no more than this passes, in milliseconds: less than the shortest retry delay, because the
 * duration of a real attempt is measured in real time.
 */
const longestFlight = 4_000;

/** Performs steps on a system and on the model, and compares both after each step. */
export class ModelRun {
  readonly #system: System;
  readonly #trace: string[] = [];
  /** The first key of each account, which observes it. */
  readonly #observers: string[] = [];
  /** The IDs of the deliveries whose attempts are in flight. */
  readonly #sent = new Map<SentAttempt, string>();
  #known: Known;
  #sentAt = 0;
  /** How many long polls there were. */
  #polls = 0;

  private constructor(system: System) {
    this.#system = system;
    this.#known = { state: emptyState(system.clock.now(), system.urls), bindings: new Bindings() };
  }

  /** Starts with some accounts, listings of few units, a webhook of each party, and more keys of some. */
  static async start(system: System): Promise<ModelRun> {
    const run = new ModelRun(system);
    for (const accountKind of ['buyer', 'buyer', 'seller', 'seller', 'agent'] as const) {
      const { length } = run.state.accounts;
      await run.operate({ kind: 'createAccount', accountKind, name: `Account ${length}` });
    }
    const [, , first, second, agent] = run.state.accounts.map(({ id }) => id);
    const listing = { kind: 'createListing', sellerId: first ?? '', units: 30 } as const;
    const others = { ...listing, sellerId: second ?? '', agentId: null };
    const listings: Operation[] = [
      { ...listing, agentId: agent ?? null, lowThreshold: 20 },
      // It is low with the first order, and not above its threshold when that is cancelled.
      { ...others, lowThreshold: 30 },
      { ...others, lowThreshold: null },
    ];
    await run.perform(listings.map((operation) => ({ operation })));
    const body = { url: system.urls[0], events: eventTypes };
    await run.perform(
      run.state.keys.map(({ text: apiKey }) => ({
        call: { apiKey, route: 'webhooks.create', body },
      })),
    );
    for (const { id: accountId } of run.state.accounts.slice(1, 4)) {
      const readOnly = accountId === first;
      await run.perform([
        { operation: { kind: 'createKey', accountId, readOnly, expiresIn: null } },
        { operation: { kind: 'createKey', accountId, readOnly: false, expiresIn: 60_000 } },
      ]);
    }
    return run;
  }

  /** The state of the model. */
  get state(): ModelState {
    return this.#known.state;
  }

  /** Whether changes run one after another. */
  get isSerial(): boolean {
    return this.#system.isSerial;
  }

  /** Whether attempts are in flight. */
  get isSending(): boolean {
    return this.#sent.size > 0;
  }

  /** Whether so much time may pass now. */
  mayPass(milliseconds: number): boolean {
    if (!this.isSending) return true;
    return this.state.now + milliseconds - this.#sentAt <= longestFlight;
  }

  /** Runs an operator's command. */
  async operate(operation: Operation): Promise<void> {
    await this.perform([{ operation }]);
  }

  /** Performs actions at the same time. */
  async perform(actions: readonly Planned[]): Promise<void> {
    // IDs of two processes are not in order within a millisecond.
    const isOperated = actions.some((action) => 'operation' in action);
    if (isOperated) this.#pass(1);
    const sent = this.#known.bindings.resolve([...actions]);
    const running = sent.map((action) => this.#performOne(action));
    const polls = actions.map(isLongPoll);
    await Promise.all(running.filter((_, index) => !polls[index]));
    await this.#endPolls(polls.filter(Boolean).length);
    const results = await Promise.all(running);
    const performed = actions.map((planned, index) => ({ planned, result: results[index] }));
    this.#trace.push(
      performed
        .map(({ planned, result }) => this.#describe(planned, result))
        .join(actions.length === 1 ? '' : '\n   at the same time: '),
    );
    for (const result of results) this.#addObserver(result);
    const found = linearize(this.#known, performed, await this.#gatherEvidence());
    if ('difference' in found) this.#fail(found.difference);
    this.#known = found;
    await this.#probeNewest();
    if (isOperated) this.#pass(1);
  }

  /** Disables the webhooks whose endpoints have failed for long enough, and expects them to be those of the model. */
  async disableFailing(): Promise<void> {
    const found = await this.#system.findFailing();
    const ids = found.map((id) => this.#known.bindings.describe(id));
    const expected = findFailing(this.state).map(({ id }) => id);
    if (ids.toSorted().join() !== expected.toSorted().join()) {
      this.#fail(
        `${ids.join() || 'nothing'} is failing instead of ${expected.join() || 'nothing'}`,
      );
    }
    for (const webhookId of ids) await this.operate({ kind: 'disableWebhook', webhookId });
  }

  /** Lets time pass. */
  async pass(milliseconds: number): Promise<void> {
    this.#trace.push(`${milliseconds} ms pass`);
    this.#pass(milliseconds);
    await this.#observe();
  }

  /** Fails the deliveries whose deadline has passed. */
  async sweep(): Promise<void> {
    this.#trace.push('overdue deliveries fail');
    await this.#system.sweep();
    sweep(this.state);
    await this.#observe();
  }

  /** Changes how a receiver responds. */
  setReceiver(at: number, behavior: ReceiverBehavior): void {
    const url = this.#system.urls[at] ?? '';
    this.#trace.push(`${url} responds with ${JSON.stringify(behavior)} from now on`);
    this.state.receivers[url] = behavior;
  }

  /** Starts the attempts that are due, and expects them to be those of the model. */
  async send(): Promise<void> {
    await this.sweep();
    this.#sentAt = this.state.now;
    const due = findDue(this.state);
    const count = due.reduce((sum, webhook) => sum + webhook.count, 0);
    const sent = await this.#system.send(count);
    this.#trace.push(`attempts start: ${sent.map(({ url }) => url).join(', ')}`);
    const counts = new Map(due.map(({ webhook, count }) => [webhook.id, count]));
    const open = due.flatMap(({ deliveries }) => deliveries);
    for (const attempt of sent) {
      const delivery = await this.#findSent(attempt, open);
      open.splice(open.indexOf(delivery), 1);
      const { webhookId } = delivery;
      counts.set(webhookId, (counts.get(webhookId) ?? 0) - 1);
      const { url, headers } = attempt;
      delivery.inFlight = { startedAt: this.state.now, url, headers };
      this.#sent.set(attempt, delivery.id);
    }
    for (const [webhookId, left] of counts) {
      if (left !== 0) this.#fail(`${left} more attempts were expected for ${webhookId}`);
    }
    await this.#observe();
  }

  /** Lets the receivers respond to the attempts in flight, a millisecond later. */
  async respond(): Promise<void> {
    this.#pass(1);
    const { receivers } = this.state;
    const behaviorOf = (url: string) => receivers[url] ?? { status: 204 };
    const finished = await this.#system.respond(behaviorOf);
    this.#trace.push(`${finished.length} attempts end`);
    for (const { sent, startedAt, durationMs } of finished) {
      const id = this.#sent.get(sent);
      if (id === undefined) this.#fail(`An attempt ended that was not sent: ${sent.url}`);
      this.#sent.delete(sent);
      const { status, retryAfter = 0 } = behaviorOf(sent.url);
      const error = status === null ? 'malformed_response' : null;
      const delivery = this.#find(id);
      // An attempt that takes more real time than passes in the test is moved: it would end in the future.
      const isMoved = startedAt + durationMs === this.state.now;
      if (startedAt !== delivery.inFlight?.startedAt && !isMoved) {
        this.#fail(`The attempt of ${id} started at ${formatTime(startedAt)}`);
      }
      const end = { startedAt, durationMs, retryAfter: retryAfter * 1_000 };
      finishAttempt(this.state, delivery, end, { status, error });
    }
    if (this.isSending) this.#fail(`${this.#sent.size} attempts did not end`);
    await this.#observe();
    await this.#probeNewest();
  }

  /** Sends until nothing is due any more. */
  async deliver(): Promise<void> {
    while (findDue(this.state).some(({ count }) => count > 0)) {
      await this.send();
      if (this.isSending) await this.respond();
    }
  }

  /** Ends a run: everything is delivered, and each account requests everything by its ID. */
  async finish(): Promise<void> {
    if (this.isSending) await this.respond();
    await this.deliver();
    await this.#probe(10, this.#observers);
  }

  /** Adds the steps so far to an error. */
  explain(error: unknown): Error {
    const steps = this.#trace.map((step, index) => `${index + 1}. ${step}`).join('\n');
    const message = error instanceof Error ? error.message : String(error);
    return new Error(`${message}\n\nThe steps of this run:\n${steps}\n`, { cause: error });
  }

  #performOne(action: Planned): Promise<unknown> {
    return 'call' in action
      ? this.#system.call(action.call)
      : this.#system.operate(action.operation);
  }

  /** Lets the time of long polls pass, once all of them wait or have waited. */
  async #endPolls(count: number): Promise<void> {
    if (count === 0) return;
    const { clock } = this.#system;
    this.#polls += count;
    await clock.untilScheduled(waitSeconds * 1_000, this.#polls);
    clock.advance(waitSeconds * 1_000);
  }

  #addObserver(result: unknown): void {
    const { id, apiKey } = (result ?? {}) as { id?: string; apiKey?: string };
    if (id !== undefined && apiKey !== undefined) this.#observers.push(apiKey);
  }

  #pass(milliseconds: number): void {
    this.#system.clock.advance(milliseconds);
    this.state.now += milliseconds;
  }

  #find(id: string): ModelDelivery {
    const delivery = this.state.deliveries.find((one) => one.id === id);
    if (delivery === undefined) throw new Error(`The model has no delivery ${id}.`);
    return delivery;
  }

  /** Finds the delivery that was sent, by its URL, its headers, its body and its signatures. */
  async #findSent(sent: SentAttempt, open: readonly ModelDelivery[]): Promise<ModelDelivery> {
    const { bindings } = this.#known;
    const reasons: string[] = [];
    for (const delivery of open) {
      const webhook = this.state.webhooks.find(({ id }) => id === delivery.webhookId);
      if (
        webhook === undefined ||
        bindings.resolve(delivery.event.id) !== sent.headers['webhook-id']
      ) {
        continue;
      }
      const tried = new Bindings(bindings);
      const secret = tried.resolve(webhook.secret);
      const staged = webhook.staged === null ? null : tried.resolve(webhook.staged.secret);
      const isTest = delivery.test ? 'true' : undefined;
      const difference =
        tried.match(webhook.url, sent.url, 'the URL') ??
        tried.match(isTest, sent.headers['tradepost-test'], 'Tradepost-Test') ??
        tried.match(expectedBody(delivery.event), sent.body, 'the body') ??
        (await sent.checkSignatures(secret, staged));
      if (difference === null) {
        this.#known = { ...this.#known, bindings: tried };
        return delivery;
      }
      reasons.push(`${delivery.id}: ${difference}`);
    }
    return this.#fail(
      `An attempt was sent that is not due: ${JSON.stringify(sent)}\n${reasons.join('\n')}`,
    );
  }

  async #observe(): Promise<void> {
    const found = linearize(this.#known, [], await this.#gatherEvidence());
    if ('difference' in found) this.#fail(found.difference);
  }

  async #gatherEvidence(): Promise<Evidence> {
    const { isSerial } = this.#system;
    return { isSerial, observation: await observe(this.#system, this.#observers) };
  }

  /** Requests the newest things by their IDs as one account after another. */
  async #probeNewest(): Promise<void> {
    const [next = '', ...others] = this.#observers.splice(0);
    this.#observers.push(...others, next);
    await this.#probe(1, [next]);
  }

  /** Requests the newest things by their IDs. Those of others are not found. */
  async #probe(count: number, apiKeys: readonly string[]): Promise<void> {
    const { state, bindings } = this.#known;
    const { orders, webhooks, deliveries, log } = state;
    const things: [Route, string][] = [
      ...orders.slice(-count).map(({ id }): [Route, string] => ['orders.get', id]),
      ...webhooks.slice(-count).map(({ id }): [Route, string] => ['webhooks.get', id]),
      ...deliveries.slice(-count).map(({ id }): [Route, string] => ['deliveries.get', id]),
      ...log.slice(-count).map(({ event }): [Route, string] => ['events.get', event.id]),
    ];
    const calls = apiKeys.flatMap((apiKey) =>
      things.map(([route, id]): Call => ({ apiKey, route, id })),
    );
    const replies = await Promise.all(
      calls.map((call) => this.#system.call({ ...call, id: bindings.resolve(call.id ?? '') })),
    );
    for (const [index, call] of calls.entries()) {
      const reply = replies[index] as ActualReply;
      const apiKey = bindings.describe(call.apiKey ?? '');
      const difference = replyDifference(bindings, applyCall(state, { ...call, apiKey }), reply);
      if (difference !== null) this.#fail(`${call.route} ${call.id} by ${apiKey}: ${difference}`);
    }
  }

  #describe(planned: Planned, result: unknown): string {
    const { state } = this.#known;
    if ('operation' in planned) return `operator: ${JSON.stringify(planned.operation)}`;
    const { call } = planned;
    const key = state.keys.find(({ text }) => text === call.apiKey);
    const account = state.accounts.find(({ id }) => id === key?.accountId);
    const { method, path } = describeRoute(call);
    const { query, body, idempotencyKey, ifMatch } = call;
    const rest = JSON.stringify({ query, body, idempotencyKey, ifMatch });
    const by = account === undefined ? 'no account' : `${account.id} (${account.kind}, ${key?.id})`;
    return `${by}: ${method} ${path} ${rest} → ${describeReply(result as ActualReply)}`;
  }

  #fail(difference: string): never {
    throw new Error(difference);
  }
}
