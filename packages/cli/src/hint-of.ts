import type { AnyTradepostError } from '@tradepost/sdk';
import { exitReasonOf } from './exit-codes';
import { hintOfBreakBy } from './hint-of-break';
import { isId } from './input/id-argument';
import { mayBeDone } from './may-be-done';

const baseUrlHint = 'Check TRADEPOST_BASE_URL or --base-url: it must lead to the service itself.';
const keyHint =
  'Check the key, in TRADEPOST_API_KEY or of the login: it may be mistyped, expired or revoked, or belong to another service.';
const laterHint = 'Try again in a while.';
const reportHint = `${laterHint} If it stays so, give the request id to support.`;

/**
 * By the code of a problem. `{ord}` and the like stand for the id of the order that the request was
 * about. A map, not an object: a service may call a problem `constructor`.
 */
const hintOfCode: ReadonlyMap<string, string> = mapOf({
  invalid_configuration:
    'Check TRADEPOST_BASE_URL or --base-url: it reads like https://trade.example.',
  connection_failed:
    'Check TRADEPOST_BASE_URL or --base-url, and that the service runs and can be reached from here.',
  redirected: baseUrlHint,
  unreadable_answer: baseUrlHint,
  route_not_found: baseUrlHint,
  account_kind_not_allowed:
    'Use the key of an account that may do this: buyers place orders, sellers and agents move them.',
  read_only_api_key: 'Use a key that may write, or ask for one.',
  order_not_found: 'Check the id. `tradepost orders list` shows the orders that this key may see.',
  notification_not_found:
    'Check the id. `tradepost notifications list` shows the notifications of this account.',
  webhook_not_found: 'Check the id. `tradepost webhooks list` shows the webhooks of this account.',
  delivery_not_found:
    'Check the id. `tradepost webhooks deliveries` shows those there are; old ones are pruned.',
  webhook_paused: 'Resume it first: `tradepost webhooks resume {whk}`.',
  webhook_deleted: 'Register it under a new key: `tradepost webhooks register`.',
  no_staged_secret: 'Stage one first: `tradepost webhooks rotate-secret {whk}`.',
  delivery_in_progress: 'See in a moment what came of it: `tradepost webhooks explain {dlv}`.',
  bad_cursor: 'The place that was kept is not one of this service: begin anew with --since.',
  webhook_limit_reached:
    'Let one endpoint take several kinds: `--events order.created,order.status_changed`.',
  illegal_transition: '`tradepost orders get {ord}` shows where the order stands.',
});

/** For services that answer without a problem code that is known here. */
const hintOfStatus: Readonly<Record<number, string>> = {
  401: keyHint,
  403: 'This key may not do this. Use the key of an account that may.',
  404: 'Check the id, and that this key may see it.',
  412: 'It has changed since it was read: look at it again before you change it.',
  429: 'Wait a moment, then ask again more slowly.',
};

/** How to see whether a change was made, by its path. */
const looks: readonly (readonly [RegExp, string])[] = [
  [/\/v1\/orders\/[^/]+$/, '`tradepost orders get {ord}` shows it.'],
  [/\/v1\/notifications\/[^/]+$/, '`tradepost notifications list` shows it.'],
  [
    /\/v1\/webhooks$/,
    '`tradepost webhooks list` shows it, where the service has that. A webhook whose secret is lost is of no use: delete it.',
  ],
  [/\/v1\/webhooks\/[^/]+\/test$/, '`tradepost webhooks deliveries --webhook {whk}` shows it.'],
  [/\/v1\/webhooks\/[^/]+\/secret$/, 'A secret that is staged again takes the place of it.'],
  [/\/v1\/webhooks\/[^/]+/, '`tradepost webhooks get {whk}` shows it.'],
  [/\/v1\/deliveries\/[^/]+/, '`tradepost webhooks explain {dlv}` shows it.'],
];

function mapOf(hints: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(hints));
}

/** What to do about a change of which it is not known whether it was made. */
function doubtHint({ code, path }: AnyTradepostError): string {
  const look = looks.find(([pattern]) => pattern.test(path ?? ''));
  return [
    'It may have been done all the same: look before you repeat it.',
    ...(look === undefined ? [] : [look[1]]),
    ...(code === 'unreadable_answer' ? [baseUrlHint] : []),
  ].join(' ');
}

/** What a person can do about an error of the service or of the way to it; null when it says so itself. */
export function hintOf(error: AnyTradepostError): string | null {
  return fillIn(templateOf(error), error.path);
}

/** Puts the id that a path is about where a hint wants one of its kind, and `ID` where it wants another. */
function fillIn(template: string | null, path: string | null): string | null {
  // Of what an id may have, a path has these in another form.
  const id = path?.split('/')[3]?.replace(/%(2B|3A|3D)/g, decodeURIComponent) ?? '';
  return template?.replace(/\{(ord|whk|dlv)\}/g, (_, kind) => (isId(id, kind) ? id : 'ID')) ?? null;
}

/**
 * Whether a service has no such path, where it need not have it, and its own words do not say so: where
 * it has none, the client says it. Source: the interface, its endpoints.
 */
function lacksExtension(error: AnyTradepostError): boolean {
  const { status, code, method, path, problem } = error;
  if (problem === null) return false;
  const isExtension =
    /^\/v1\/(events|deliveries|account|webhooks\/)/.test(path ?? '') ||
    (path === '/v1/webhooks' && method !== 'POST');
  const isNoId = status === 404 && exitReasonOf(error) === 'usage';
  return isExtension && (isNoId || status === 405 || status === 501 || code === 'route_not_found');
}

function templateOf(error: AnyTradepostError): string | null {
  if (lacksExtension(error))
    return `This goes beyond the interface: a service need not have it. ${baseUrlHint}`;
  if (mayBeDone(error)) return doubtHint(error);
  if (error.code === 'timeout') return laterHint;
  if (error.code === 'aborted') return null;
  const known = hintOfBreakBy(error) ?? hintOfCode.get(error.code);
  if (known !== undefined) return known;
  if (error.status === null) return null;
  if (error.status === 404 && exitReasonOf(error) === 'usage') return baseUrlHint;
  if (error.status === 409 && error.path?.startsWith('/v1/orders/')) {
    return '`tradepost orders get {ord}` shows where the order stands.';
  }
  const brokenHint = error.requestId ? reportHint : laterHint;
  return hintOfStatus[error.status] ?? (error.status >= 500 ? brokenHint : null);
}
