import {
  endpoints,
  type ListNotifications,
  type NotificationType,
  type Notification as ServiceNotification,
  type UpdateNotification,
} from '@tradepost/contract/wire';
import type { ApiCall } from '../internal/api-call';
import type { ListCall } from '../internal/list-call';
import { readItem } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';
import type { Unrecognized } from '../unrecognized';

/** The polling equivalent of an event: one for each party of the order, the actor included. */
export interface Notification extends Omit<ServiceNotification, 'type'> {
  /** The event it stands for, with `_` for `.`. The service may add types. */
  type: NotificationType | Unrecognized;
}

const asRead: UpdateNotification = { read: true };

/** The notifications of the account that the API key belongs to. */
export class Notifications {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the account's notifications, newest first. */
  list(query: ListNotifications = {}, options?: RequestOptions): ListCall<Notification> {
    return this.#transport.list({ endpoint: endpoints.notifications.list, options }, query);
  }

  /** Marks a notification as read. One that is read already stays so. */
  markRead(id: string, options?: RequestOptions): ApiCall<Notification> {
    return this.#transport.request({
      endpoint: endpoints.notifications.update,
      id,
      body: asRead,
      options,
      read: readItem<Notification>,
    });
  }
}
