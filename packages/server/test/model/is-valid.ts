import { orderExpansions, orderSorts } from '@tradepost/contract/wire';
import type { Call } from './call';
import { eventTypes } from './webhook-rules';

const orderStatuses = ['pending', 'confirmed', 'fulfilling', 'completed', 'cancelled'];

function isInteger(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function areEvents(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(isEvent) && new Set(value).size === value.length;
}

const isEvent = (value: unknown) => (eventTypes as unknown[]).includes(value);
const isStatus = (value: unknown) => orderStatuses.includes(String(value));
const isUrl = (value: unknown) => /^https?:\/\/[^\s/]/.test(String(value));
const isTime = (value: unknown) => !Number.isNaN(Date.parse(String(value)));

/** How each query parameter is checked. The tests send only values that these distinguish. */
const parameters: Record<string, (value: unknown) => boolean> = {
  limit: (value) => isInteger(value, 1, 100),
  cursor: () => true,
  after: () => true,
  since: isTime,
  until: isTime,
  type: isEvent,
  tail: (value) => isInteger(value, 1, 100),
  before: () => true,
  createdAfter: isTime,
  createdBefore: isTime,
  updatedAfter: isTime,
  status: (value) => String(value).split(',').every(isStatus),
  buyerId: (value) => /^(<usr:\d+>|usr_[0-9A-Z]+)$/.test(String(value)),
  sellerId: (value) => /^(<usr:\d+>|usr_[0-9A-Z]+)$/.test(String(value)),
  listingId: (value) => /^(<lst:\d+>|lst_[0-9A-Z]+)$/.test(String(value)),
  minQuantity: (value) => isInteger(value, 1, 1_000_000),
  maxQuantity: (value) => isInteger(value, 1, 1_000_000),
  count: (value) => isInteger(value, 1, 100_000),
  name: (value) => String(value).length > 0,
  expand: (value) =>
    String(value)
      .split(',')
      .every((one) => ([...orderExpansions, 'stats'] as string[]).includes(one)),
  window: (value) => ['1h', '24h', '7d'].includes(String(value)),
  sort: (value) => (orderSorts as readonly unknown[]).includes(value),
  read: (value) => typeof value === 'boolean',
  webhookId: (value) => /^(<whk:\d+>|whk_[0-9A-Z]+)$/.test(String(value)),
  eventId: (value) => /^(<(evt|testEvent):\d+>|evt_[0-9A-Z]+)$/.test(String(value)),
  orderId: (value) => /^(<ord:\d+>|ord_[0-9A-Z]+)$/.test(String(value)),
  event: isEvent,
  state: (value) => ['pending', 'delivered', 'failed'].includes(String(value)),
  statusClass: (value) => ['2xx', '3xx', '4xx', '5xx', 'none'].includes(String(value)),
  waitSeconds: (value) => isInteger(value, 0, 30),
};

const areParameters = (values: Record<string, unknown>) =>
  Object.entries(values).every(([name, value]) => parameters[name]?.(value));

/** Whether the settings of a webhook are valid, of those that the actions choose. */
const areSettings = ({ description, headers, attemptsPerMinute }: Record<string, unknown>) =>
  description !== '' && !('Host' in Object(headers)) && attemptsPerMinute !== 0;

function isValidBody({ route, body }: Call): boolean {
  const fields = (body ?? {}) as Record<string, unknown>;
  switch (route) {
    case 'orders.create':
      return (
        isInteger(fields.quantity, 1, 1_000_000) && /^(<lst:|lst_)/.test(`${fields.listingId}`)
      );
    case 'orders.update':
      return isStatus(fields.status) && fields.reason !== '';
    case 'notifications.update':
      return fields.read === true;
    case 'notifications.markAllRead':
      return isTime(fields.before);
    case 'webhooks.create':
      return isUrl(fields.url) && areEvents(fields.events) && areSettings(fields);
    case 'webhooks.update': {
      const { url, events, status } = fields;
      const isKnown = status === undefined || status === 'active' || status === 'paused';
      const isPresent = Object.keys(fields).length > 0;
      const hasEvents = events === undefined || areEvents(events);
      const hasUrl = url === undefined || isUrl(url);
      return isPresent && isKnown && hasEvents && hasUrl && areSettings(fields);
    }
    case 'webhooks.test':
      return isEvent(fields.event);
    case 'keys.create':
      return (
        (fields.expiresIn === undefined || isInteger(fields.expiresIn, 60, 31_536_000)) &&
        fields.name !== ''
      );
    case 'webhooks.replayDeliveries':
      return areParameters(fields) && !isReversed(fields);
    default:
      return true;
  }
}

/** Whether `since` is later than `until`. */
function isReversed({ since, until }: Record<string, unknown>): boolean {
  return Date.parse(String(since)) > Date.parse(String(until));
}

/** Whether a query has parameters that exclude each other. */
function contradicts(query: Record<string, unknown>): boolean {
  const has = (...names: string[]) => names.some((name) => name in query);
  const { minQuantity, maxQuantity } = query;
  if (Number(minQuantity) > Number(maxQuantity) || isReversed(query)) return true;
  if (has('tail') && has('after', 'limit', 'waitSeconds')) return true;
  if (has('before') && !has('tail')) return true;
  return (has('since') && has('after')) || (has('until') && has('waitSeconds'));
}

/** Returns whether a call passes the validation of the contract. */
export function isValid(call: Call): boolean {
  const query = call.query ?? {};
  return areParameters(query) && !contradicts(query) && isValidBody(call);
}
