import { createHmac } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { type Behaviour, writeJson } from './wire';

export type EventKind = 'order.created' | 'order.status_changed';

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  secret: string;
  /** Who has registered it. */
  account: { id: string; key: string };
}

/** What a delivery has as its body. */
interface Envelope {
  event: EventKind;
  createdAt: Date;
  data: Record<string, string>;
}

interface Timing {
  /** The wait before the first retry, in milliseconds. Each further wait is twice as long. */
  baseDelayMs: number;
  /** How long a receiver may take to respond, in milliseconds. */
  attemptTimeoutMs: number;
}

/** The status of the response, or why there is none. */
type Outcome = number | 'timeout' | 'closed';

const retryWindowMs = 24 * 3_600_000;

/** Sends events to webhooks, and again until a 2xx arrives. */
export class Deliveries {
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #count = 0;
  /** The webhook whose deliveries are not late. */
  #prompt: Webhook | undefined;

  constructor(
    private readonly behaviour: Behaviour,
    private readonly timing: Timing,
    /** Certificates that the receivers may have, beside the usual ones. PEM. */
    private readonly ca: string | undefined,
  ) {
    // Each request and each wait listens to it.
    setMaxListeners(0, this.#stopped.signal);
  }

  /**
   * Starts a delivery.
   *
   * @param readStatus Returns the present status of the order that the event is about.
   */
  send(webhook: Webhook, envelope: Envelope, readStatus: () => string): void {
    const { fault, variant } = this.behaviour;
    this.#count += 1;
    const isDoubled =
      fault === 'deliveredTwice' || (variant === 'rareDuplicates' && this.#count % 10 === 0);
    for (let copy = 0; copy < (isDoubled ? 2 : 1); copy += 1) {
      const delivery = this.#deliver(webhook, envelope, readStatus)
        // What ends a delivery early is `stop`.
        .catch((error: unknown) => {
          if (!this.#stopped.signal.aborted) throw error;
        })
        .finally(() => this.#running.delete(delivery));
      this.#running.add(delivery);
    }
  }

  /** Ends all deliveries. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running);
  }

  async #deliver(webhook: Webhook, event: Envelope, readStatus: () => string): Promise<void> {
    const { fault, variant } = this.behaviour;
    const { signal } = this.#stopped;
    let waitMs = this.timing.baseDelayMs;
    if (variant === 'lateDeliveries') await delay(150 - (this.#count % 50), undefined, { signal });
    if (event.event === 'order.status_changed') this.#prompt ??= webhook;
    const isPrompt = event.event === 'order.status_changed' && webhook.id === this.#prompt?.id;
    if (variant === 'slowWebhooks' && !isPrompt) await delay(3000, undefined, { signal });
    for (let number = 1; ; number += 1) {
      const isEnd = this.#isEnd(await this.#attempt(webhook, event, number, readStatus));
      if (isEnd && !(fault === 'retriedAfterSuccess' && number > 1)) return;
      if (fault === 'givesUp' && number === 3) return;
      if (Date.now() + waitMs > event.createdAt.getTime() + retryWindowMs) return;
      await delay(waitMs, undefined, { signal });
      if (fault !== 'constantInterval') waitMs *= 2;
    }
  }

  #isEnd(status: Outcome): boolean {
    const { fault } = this.behaviour;
    if (status === 'timeout') return fault === 'hangIsSuccess';
    if (status === 'closed') return false;
    if (fault === 'clientErrorsFinal' && status >= 400 && status < 500) return true;
    if (fault === 'acceptedRetried' && status === 202) return false;
    return status >= 200 && status < 300;
  }

  #attempt(webhook: Webhook, event: Envelope, number: number, readStatus: () => string) {
    const { fault, variant } = this.behaviour;
    const { event: kind, createdAt, data } = event;
    let content: object = fault === 'typeForEvent' ? { type: kind, createdAt, data } : event;
    if (variant === 'moreFields') content = { ...event, type: kind, id: webhook.id };
    if (number > 1) {
      if (variant === 'reorderedRetries') content = { data, createdAt, event: kind };
      if (fault === 'createdAtRenewed') content = { ...event, createdAt: new Date() };
      if (fault === 'retryRebuilt' && kind === 'order.status_changed')
        content = { ...event, data: { ...data, status: readStatus() } };
    }

    const compact = writeJson(content, this.behaviour);
    const isIndented = fault === 'signsCompact' || variant === 'indentedEvents';
    const body = isIndented ? writeJson(content, this.behaviour, 2) : compact;
    const sent = fault === 'byteOrderMark' ? `\ufeff${body}` : body;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (variant === 'indentedEvents') headers['content-type'] = 'application/vnd.trade.event+json';
    if (fault === 'keyInDelivery') headers.authorization = `Bearer ${webhook.account.key}`;
    const name = variant === 'oddHeaderCase' ? 'sErViCe-SiGnAtUrE' : 'Service-Signature';
    const isKeyId = fault === 'keyIsWebhookId' || (fault === 'retriesSignedWithId' && number > 1);
    const signature = createHmac('sha256', isKeyId ? webhook.id : webhook.secret)
      .update(fault === 'signsCompact' ? compact : sent)
      .digest('hex');
    if (fault !== 'retriesUnsigned' || number === 1)
      headers[name] = fault === 'upperHex' ? signature.toUpperCase() : signature;
    return this.#post(new URL(webhook.url), headers, sent);
  }

  /** Sends one request. */
  #post(url: URL, headers: Record<string, string>, body: string): Promise<Outcome> {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const ca = this.ca === undefined ? {} : { ca: this.ca };
    const { signal } = this.#stopped;
    return new Promise((resolve, reject) => {
      const request = send(url, { method: 'POST', headers, signal, agent: false, ...ca });
      request.setTimeout(this.timing.attemptTimeoutMs, () => {
        resolve('timeout');
        request.destroy();
      });
      request.on('error', () => (signal.aborted ? reject(signal.reason) : resolve('closed')));
      request.on('response', (response) => {
        response.resume();
        const { statusCode = 0, headers: received } = response;
        const location = statusCode < 400 ? received.location : undefined;
        if (location && this.behaviour.fault === 'followsRedirects')
          resolve(this.#post(new URL(location, url), headers, body));
        else resolve(statusCode);
      });
      request.end(body);
    });
  }
}
