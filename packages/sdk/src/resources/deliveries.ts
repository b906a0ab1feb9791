import {
  type DeliveryState,
  type EventKind,
  endpoints,
  type ListDeliveries,
  type Delivery as ServiceDelivery,
  type DeliveryDetails as ServiceDeliveryDetails,
} from '@tradepost/contract/wire';
import type { ApiCall } from '../internal/api-call';
import type { ListCall } from '../internal/list-call';
import { readItem } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';
import type { Unrecognized } from '../unrecognized';

/** What the service may add to in the answers about deliveries. */
interface OpenFields {
  /** The kind of the event that it carries. The service may add kinds. */
  event: EventKind | Unrecognized;
  /**
   * Where it stands: tried until a receiver answers with a 2xx or its time is over. The service may
   * add states.
   */
  state: DeliveryState | Unrecognized;
}

/** The sending of one event to one webhook, over all its attempts. */
export interface Delivery extends Omit<ServiceDelivery, keyof OpenFields>, OpenFields {}

/** A delivery with what was sent and what came of it. */
export interface DeliveryDetails
  extends Omit<ServiceDeliveryDetails, keyof OpenFields>,
    OpenFields {}

/**
 * The deliveries to the account's webhooks. They go beyond the interface: a service may not have
 * them, and the error says so then.
 */
export class Deliveries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the deliveries to the account's webhooks, newest first. */
  list(query: ListDeliveries = {}, options?: RequestOptions): ListCall<Delivery> {
    return this.#transport.list(
      { endpoint: endpoints.deliveries.list, extension: true, options },
      query,
    );
  }

  /** Gets one delivery: its exact body, and each attempt with what came of it. */
  get(id: string, options?: RequestOptions): ApiCall<DeliveryDetails> {
    return this.#transport.request({
      endpoint: endpoints.deliveries.get,
      extension: true,
      id,
      options,
      read: readItem<DeliveryDetails>,
    });
  }

  /**
   * Sends a delivery again: the same bytes, the same `webhook-id`, due at once. A `ConflictError` is
   * thrown while an attempt is under way.
   */
  replay(id: string, options?: RequestOptions): ApiCall<Delivery> {
    return this.#transport.request({
      endpoint: endpoints.deliveries.replay,
      extension: true,
      id,
      options,
      read: readItem<Delivery>,
    });
  }
}
