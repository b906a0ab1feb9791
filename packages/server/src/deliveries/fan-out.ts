import type { DomainEvent } from '../events/domain-event';
import type { Moment } from '../moment';
import { type Notification, notificationsOf } from '../notifications/notification';
import { type Delivery, newDelivery } from './delivery';

/** What follows from an event, to be written with it in one transaction. */
export interface Consequences {
  notifications: Notification[];
  deliveries: Delivery[];
}

/**
 * What follows from an event: a notification for each account that is told, a delivery for each of
 * their webhooks that subscribes to its kind.
 *
 * @param subscribed The webhooks of an account that subscribe to a kind of event, by id.
 */
export function fanOut(
  event: DomainEvent,
  subscribed: (accountId: string, kind: DomainEvent['kind']) => string[],
  moment: Moment,
): Consequences {
  const webhookIds = event.recipients.flatMap((accountId) => subscribed(accountId, event.kind));
  return {
    notifications: notificationsOf(event, moment),
    deliveries: webhookIds.map((webhookId) => newDelivery(event, webhookId, moment)),
  };
}
