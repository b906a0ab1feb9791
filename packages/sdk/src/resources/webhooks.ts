import {
  type CreateWebhook,
  type EventKind,
  endpoints,
  type ListWebhooks,
  type CreatedWebhook as ServiceCreatedWebhook,
  type Webhook as ServiceWebhook,
  type WebhookDetails as ServiceWebhookDetails,
  type StagedSecret,
  type TestWebhook,
  type UpdateWebhook,
  type WebhookStatus,
} from '@tradepost/contract/wire';
import type { ApiCall } from '../internal/api-call';
import type { ListCall } from '../internal/list-call';
import { readItem, readNothing } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';
import type { Unrecognized } from '../unrecognized';
import type { Delivery } from './deliveries';

/** What the service may add to in the answers about webhooks. */
interface OpenFields {
  /** The event kinds it subscribes to, each once. The service may add kinds. */
  events: (EventKind | Unrecognized)[];
  /** Whether deliveries are made. The service may add states. */
  status: WebhookStatus | Unrecognized;
}

/** A registered endpoint that receives signed deliveries of the events it subscribes to. */
export interface Webhook extends Omit<ServiceWebhook, keyof OpenFields>, OpenFields {}

/** A webhook as the answer to its registration shows it: the only time that the secret is told. */
export interface CreatedWebhook extends Omit<ServiceCreatedWebhook, keyof OpenFields>, OpenFields {}

/** A webhook as the account finds it again: without its secret, with how its deliveries fare. */
export interface WebhookDetails extends Omit<ServiceWebhookDetails, keyof OpenFields>, OpenFields {}

/**
 * The webhooks of the account that the API key belongs to. All but `create` goes beyond the
 * interface: a service may not have it, and the error says so then.
 */
export class Webhooks {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Registers an HTTPS endpoint for signed deliveries. The answer is the only one that tells the
   * endpoint secret: keep it for `verifyWebhook`.
   */
  create(body: CreateWebhook, options?: RequestOptions): ApiCall<CreatedWebhook> {
    return this.#transport.request({
      endpoint: endpoints.webhooks.create,
      body,
      options,
      read: readItem<CreatedWebhook>,
    });
  }

  /** Lists the account's webhooks, newest first. */
  list(query: ListWebhooks = {}, options?: RequestOptions): ListCall<WebhookDetails> {
    return this.#transport.list(
      { endpoint: endpoints.webhooks.list, extension: true, options },
      query,
    );
  }

  /** Gets one webhook. */
  get(id: string, options?: RequestOptions): ApiCall<WebhookDetails> {
    return this.#transport.request({
      endpoint: endpoints.webhooks.get,
      extension: true,
      id,
      options,
      read: readItem<WebhookDetails>,
    });
  }

  /**
   * Changes where a webhook is sent or what it subscribes to, or pauses and resumes it. What is left
   * out stays as it is. Deliveries to a paused webhook wait, until their 24 hours are over.
   *
   * It is repeated only when it is sure that the attempt had no effect: a repetition could undo what
   * somebody else changed in between.
   */
  update(id: string, body: UpdateWebhook, options?: RequestOptions): ApiCall<WebhookDetails> {
    return this.#transport.request({
      endpoint: endpoints.webhooks.update,
      extension: true,
      mayUndo: true,
      id,
      body,
      options,
      read: readItem<WebhookDetails>,
    });
  }

  /**
   * Removes a webhook. Deliveries that wait are not sent any more. When the answer was lost and the
   * repetition finds no such webhook, it is removed, and the call has succeeded.
   */
  delete(id: string, options?: RequestOptions): ApiCall<void> {
    return this.#transport.request<void>({
      endpoint: endpoints.webhooks.remove,
      extension: true,
      id,
      options,
      read: readNothing,
    });
  }

  /**
   * Makes a new endpoint secret that is to follow the current one; this answer alone tells it. Let
   * your receivers accept both, then call `promoteSecret`. Staging again replaces what was staged.
   */
  stageSecret(id: string, options?: RequestOptions): ApiCall<StagedSecret> {
    return this.#transport.request({
      endpoint: endpoints.webhooks.stageSecret,
      extension: true,
      id,
      options,
      read: readItem<StagedSecret>,
    });
  }

  /** Makes the staged secret the current one. The one before it signs nothing any more. */
  promoteSecret(id: string, options?: RequestOptions): ApiCall<WebhookDetails> {
    return this.#transport.request({
      endpoint: endpoints.webhooks.promoteSecret,
      extension: true,
      id,
      options,
      read: readItem<WebhookDetails>,
    });
  }

  /**
   * Sends a signed sample of an event to a webhook, once, and answers the delivery that carries it:
   * `deliveries.get` tells what came of it.
   */
  test(id: string, body: TestWebhook, options?: RequestOptions): ApiCall<Delivery> {
    return this.#transport.request({
      endpoint: endpoints.webhooks.test,
      extension: true,
      id,
      body,
      options,
      read: readItem<Delivery>,
    });
  }
}
