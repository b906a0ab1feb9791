import fc from 'fast-check';
import type { Call, Route } from './call';
import {
  action,
  chooseKey,
  defined,
  deliveryFilter,
  events,
  eventType,
  filter,
  idempotencyKey,
  index,
  invalidUrl,
  pick,
  toDeliveryFilter,
  unknownId,
  type Who,
  who,
  withKey,
} from './choices';
import type { ModelState, ModelWebhook } from './state';

const webhookVerbs = ['get', 'delete', 'stageSecret', 'promoteSecret'] as const;

function webhookCall(
  state: ModelState,
  { who, webhook: at }: { who: Who; webhook: number },
  route: Route,
): { call: Call; webhook: ModelWebhook | undefined } {
  const webhook = pick(state.webhooks, at);
  const apiKey = chooseKey(state, who, webhook === undefined ? [] : [webhook.accountId]);
  return { call: { apiKey, route, id: webhook?.id ?? `whk_${unknownId}` }, webhook };
}

/** Picks the URL of a receiver; sometimes none. */
const url = fc.oneof(
  { weight: 12, arbitrary: fc.nat({ max: 2 }) },
  { weight: 1, arbitrary: fc.constant('none' as const) },
);
const toUrl = ({ receivers }: ModelState, at: number | 'none') =>
  at === 'none' ? invalidUrl : Object.keys(receivers)[at];

/** Sometimes one is invalid. The limit is too high to delay anything. */
const settings = fc.record(
  {
    description: fc.constantFrom('Warehouse', 'Shop', null, ''),
    headers: fc.constantFrom({}, { Authorization: 'Bearer 1' }, { Host: 'example.com' }),
    attemptsPerMinute: fc.constantFrom(null, 60_000, 60_000, 0),
  },
  { requiredKeys: [] },
);

/** `PATCH /v1/webhooks/:id`. */
export const updateWebhook = action(
  'webhooks.update',
  fc.record({
    who,
    webhook: index,
    url: filter(url),
    changes: fc.record(
      { events, status: fc.constantFrom('active', 'paused'), settings },
      { requiredKeys: [] },
    ),
  }),
  (state, { url, changes, ...args }) => {
    const { call } = webhookCall(state, args, 'webhooks.update');
    const { settings, ...others } = changes;
    const newUrl = url === undefined ? {} : { url: toUrl(state, url) };
    const body = { ...others, ...settings, ...newUrl };
    return { call: { ...call, body } };
  },
);

/** The other calls about a webhook. */
export const webhookActions = [
  action(
    'webhooks.create',
    fc.record({ who, url, events, settings, idempotencyKey }),
    (state, { who, url, events, settings, idempotencyKey }) => ({
      call: {
        apiKey: chooseKey(state, who, []),
        route: 'webhooks.create',
        ...withKey(idempotencyKey),
        body: { url: toUrl(state, url), events, ...settings },
      },
    }),
  ),
  action(
    'webhooks.stats',
    fc.record({ who, webhook: index, window: filter(fc.constantFrom('1h', '24h', '7d', '1d')) }),
    (state, { window, ...args }) => {
      const { call } = webhookCall(state, args, 'webhooks.stats');
      return { call: { ...call, query: defined({ window }) } };
    },
  ),
  ...webhookVerbs.map((verb) =>
    action(
      `webhooks.${verb}`,
      fc.record({ who, webhook: index, idempotencyKey }),
      (state, { idempotencyKey, ...args }) => {
        const { call } = webhookCall(state, args, `webhooks.${verb}`);
        return { call: verb.endsWith('Secret') ? { ...call, ...withKey(idempotencyKey) } : call };
      },
    ),
  ),
  action(
    'webhooks.test',
    fc.record({ who, webhook: index, event: eventType, idempotencyKey }),
    (state, { event, idempotencyKey, ...args }) => {
      const { call } = webhookCall(state, args, 'webhooks.test');
      return { call: { ...call, ...withKey(idempotencyKey), body: { event } } };
    },
  ),
  action(
    'webhooks.replayDeliveries',
    fc.record({ who, webhook: index, filter: fc.record(deliveryFilter), idempotencyKey }),
    (state, { filter, idempotencyKey, ...args }) => {
      const { call } = webhookCall(state, args, 'webhooks.replayDeliveries');
      const body = toDeliveryFilter(state, filter);
      return { call: { ...call, ...withKey(idempotencyKey), body } };
    },
  ),
];

/** The calls about a delivery. */
export const deliveryActions = [
  ...(['get', 'replay'] as const).map((verb) =>
    action(
      `deliveries.${verb}`,
      fc.record({ who, delivery: index, idempotencyKey }),
      (state, { who, delivery: at, idempotencyKey }) => {
        const delivery = pick(state.deliveries, at);
        const webhook = state.webhooks.find(({ id }) => id === delivery?.webhookId);
        const apiKey = chooseKey(state, who, webhook === undefined ? [] : [webhook.accountId]);
        const call = { apiKey, id: delivery?.id ?? `dlv_${unknownId}` };
        return {
          call:
            verb === 'get'
              ? { ...call, route: 'deliveries.get' }
              : { ...call, route: 'deliveries.replay', ...withKey(idempotencyKey) },
        };
      },
    ),
  ),
];
