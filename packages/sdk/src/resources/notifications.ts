import {
  endpoints,
  type ListNotifications,
  type Notification,
  type UpdateNotification,
} from '@tradepost/contract/wire';
import { fillPath } from '../internal/fill-path';
import { type ListCall, listCall } from '../internal/list-call';
import { readItem, readPage } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';

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
    return listCall(query.cursor, (cursor) =>
      this.#transport.request({
        ...endpoints.notifications.list,
        query: { ...query, cursor },
        options,
        read: readPage<Notification>,
      }),
    );
  }

  /** Marks a notification as read. One that is read already stays so. */
  async markRead(id: string, options?: RequestOptions): Promise<Notification> {
    const { method, path } = endpoints.notifications.update;
    return this.#transport.request({
      method,
      path: fillPath(path, { id }),
      body: asRead,
      options,
      read: readItem<Notification>,
    });
  }
}
