import type { AnyTradepostError, Extension } from '@tradepost/sdk';
import { ProxyError } from '../config/settings';
import { baseUrlHint, commandHint, type Hint } from '../errors/cli-error';
import {
  getExitReason,
  getRetryAfter,
  isOverloaded,
  mayHaveBeenApplied,
} from '../errors/exit-codes';
import { type IdPrefix, isId } from '../input/options';
import { replaceArg } from './hint';

/** Stands for the ID in the path of the request. */
const placeholders = { ord: 'ORDER_ID', whk: 'WEBHOOK_ID', dlv: 'DELIVERY_ID' } as const;
const { ord: orderId, whk: webhookId, dlv: deliveryId } = placeholders;

const checkBaseUrl = 'Check TRADEPOST_BASE_URL or --base-url';
const keyHints: Hint[] = [
  'The API key may be mistyped, expired, revoked or for another service.',
  commandHint('Check TRADEPOST_API_KEY, or run', 'login'),
];
const rejectedHint = 'Check the values.';
const seeOrder: Hint = commandHint('To see the order, run', 'orders get', orderId);

/** Hints by problem code. A map, not an object: a service may name a problem `constructor`. */
const hintsByCode = new Map<string, readonly Hint[]>(
  Object.entries<readonly Hint[]>({
    invalid_configuration: [`${checkBaseUrl}: enter a full URL, such as https://trade.example.`],
    connection_failed: [`${checkBaseUrl}, and that the service is running and reachable.`],
    redirected: [baseUrlHint],
    invalid_response: [baseUrlHint],
    contract_mismatch: [baseUrlHint],
    response_too_large: [`${checkBaseUrl}. If it is right, ask for less with --limit.`],
    route_not_found: [baseUrlHint],
    account_kind_not_allowed: [
      'Use the key of another account: buyers create orders, sellers and agents change their status.',
    ],
    account_suspended: ['Ask the operator of the service why, and when it is resumed.'],
    read_only_api_key: ['This key is read-only. Use a key with write access.'],
    order_not_found: [
      'Check the order ID.',
      commandHint('To list the orders that this key can see, run', 'orders list'),
    ],
    notification_not_found: [
      'Check the notification ID.',
      commandHint('To list the notifications of this account, run', 'notifications list'),
    ],
    webhook_not_found: [
      'Check the webhook ID.',
      commandHint('To list the webhooks of this account, run', 'webhooks list'),
    ],
    delivery_not_found: [
      'Check the delivery ID. Old deliveries are pruned.',
      commandHint('To list deliveries, run', 'webhooks deliveries'),
    ],
    event_not_found: [
      'Check the event ID. Old events are pruned, and test events are in no event log.',
      commandHint('To list events, run', 'events list'),
    ],
    key_not_found: [
      'Check the ID of the API key.',
      commandHint('To list the API keys of this account, run', 'keys list'),
    ],
    key_limit_reached: [
      commandHint('To see which keys are no longer used, run', 'keys list', '--all'),
    ],
    session_not_allowed: ['This is the key of a session. Use an API key of the account.'],
    webhook_paused: [commandHint('First run', 'webhooks resume', webhookId)],
    webhook_deleted: [commandHint('Register it again under a new ID:', 'webhooks register')],
    no_staged_secret: [commandHint('Stage a secret first:', 'webhooks rotate-secret', webhookId)],
    delivery_in_progress: [
      commandHint('An attempt is in flight. For its result, run', 'webhooks explain', deliveryId),
    ],
    invalid_cursor: ['The saved position is not valid on this service. Start again with --since.'],
    cursor_expired: [
      'Events after the saved position are no longer stored. Start again with --since: it starts with the oldest event that is.',
      commandHint('For the current state of the orders, run', 'orders list', '--all'),
    ],
    webhook_limit_reached: [
      'Register one endpoint for several event types: `--events order.created,order.status_changed`.',
    ],
    invalid_transition: [seeOrder],
  }),
);

const hintsByStatus: Readonly<Record<number, readonly Hint[]>> = {
  401: keyHints,
  403: ['This key is not allowed to do this. Use the key of another account.'],
  404: ['Check the ID, and that this key can see it.'],
  412: ['It was changed by another client. Read it again before you change it.'],
};

const checksByPath: readonly (readonly [RegExp, Hint])[] = [
  [/\/v1\/orders\/[^/]+$/, commandHint('Check with', 'orders get', orderId)],
  [/\/v1\/notifications\/[^/]+$/, commandHint('Check with', 'notifications list')],
  [
    /\/v1\/webhooks$/,
    commandHint('A webhook without its secret is useless: delete it. Check with', 'webhooks list'),
  ],
  [
    /\/v1\/webhooks\/[^/]+\/test$/,
    commandHint('Check with', 'webhooks deliveries', '--webhook', webhookId),
  ],
  [/\/v1\/webhooks\/[^/]+\/secret$/, 'Staging a secret again replaces the staged one.'],
  [/\/v1\/webhooks\/[^/]+/, commandHint('Check with', 'webhooks get', webhookId)],
  [
    /\/v1\/keys$/,
    commandHint('A key that nobody has seen is useless: revoke it. Check with', 'keys list'),
  ],
  [/\/v1\/keys\/[^/]+$/, commandHint('Check with', 'keys list')],
  [/\/v1\/deliveries\/[^/]+/, commandHint('Check with', 'webhooks explain', deliveryId)],
];

/** Hints for failed connections, by the code of the system or of OpenSSL. */
const networkHints: ReadonlyMap<string, Hint> = new Map(
  Object.entries({
    ENOTFOUND: `${checkBaseUrl}, and your network or VPN: the host name does not exist.`,
    EAI_AGAIN: 'Check your network or VPN: host names cannot be resolved.',
    ECONNREFUSED: `${checkBaseUrl}, and that the service is running: nothing listens on that port.`,
    CERT_HAS_EXPIRED:
      "The service's certificate has expired: notify its operator. Check the date of this machine too.",
    ERR_TLS_CERT_ALTNAME_INVALID: `${checkBaseUrl}: the certificate is for another host.`,
  }),
);

/** Node does not know the authority that signed the certificate. */
const unknownAuthority = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

function getNetworkHint({ cause }: Error): Hint | null {
  const proxied = listCauses(cause).find((error) => error instanceof ProxyError);
  if (proxied !== undefined) return proxied.message;
  const code = getRootCode(cause);
  if (unknownAuthority.includes(code)) {
    return 'If your own authority signed the certificate, set NODE_EXTRA_CA_CERTS to a file with its certificate.';
  }
  if (
    /wrong version number|WRONG_VERSION_NUMBER/.test(`${code} ${listCauses(cause).at(-1)?.message}`)
  ) {
    return `${checkBaseUrl}: that port does not use TLS. Is it http://?`;
  }
  return networkHints.get(code) ?? null;
}

/** Lists an error and its causes, the outermost first. Of several errors at once it follows the first. */
export function listCauses(error: unknown): Error[] {
  const found: Error[] = [];
  let next = error;
  while (next instanceof Error && !found.includes(next)) {
    found.push(next);
    next = next instanceof AggregateError ? next.errors[0] : next.cause;
  }
  return found;
}

/** Returns the code of the innermost error that has one: the system reported it. '' without one. */
export function getRootCode(error: unknown): string {
  const codes = listCauses(error).map((cause) => ('code' in cause ? cause.code : ''));
  return codes.findLast((code): code is string => typeof code === 'string' && code !== '') ?? '';
}

export function getHints(error: AnyTradepostError): readonly Hint[] {
  // The path percent-encodes these characters of an ID.
  const id = error.path?.split('/')[3]?.replace(/%(2B|3A|3D)/g, decodeURIComponent) ?? '';
  let hints = chooseHints(error);
  for (const [prefix, placeholder] of Object.entries(placeholders)) {
    if (isId(id, prefix as IdPrefix)) hints = replaceArg(hints, placeholder, id);
  }
  return hints;
}

function chooseHints(error: AnyTradepostError): readonly Hint[] {
  const { code, method, path, status } = error;
  const extensionHints = getExtensionHints(error);
  if (extensionHints.length > 0) return extensionHints;
  if (mayHaveBeenApplied(error)) {
    const check = checksByPath.find(([pattern]) => pattern.test(path ?? ''))?.[1];
    return [
      'The change may have been applied. Check before you repeat it.',
      ...(check === undefined ? [] : [check]),
      ...(code === 'invalid_response' ? [baseUrlHint] : []),
    ];
  }
  if (code === 'timeout') return [getRetryHint(error)];
  if (code === 'aborted') return [];
  const network = getNetworkHint(error);
  if (network !== null) return [network];
  const byCode = hintsByCode.get(code);
  if (byCode !== undefined) return byCode;
  if (status === 429 || code === 'rate_limited')
    return [`Too many requests. ${getRetryHint(error)}`];
  if (status === null) return [];
  if (status === 404 && getExitReason(error) === 'usage') return [baseUrlHint];
  if (status === 409 && path?.startsWith('/v1/orders/')) return [seeOrder];
  if ([408, 425].includes(status)) return [getRetryHint(error)];
  if (status >= 500) {
    const retry = `${method === 'GET' ? '' : 'Nothing was changed. '}${getRetryHint(error)}`;
    if (isOverloaded(error)) return [`Too many requests. ${retry}`];
    const support = 'If the error persists, give the request ID to support.';
    return [error.requestId ? `${retry} ${support}` : retry];
  }
  if (code !== 'http_error') return hintsByStatus[status] ?? [];
  if ([400, 422].includes(status) && !isPage(error.body)) return [rejectedHint];
  // Another program responded, except that it knew the resource: 409 and 422 are about the request.
  return hintsByStatus[status] ?? ([409, 422].includes(status) ? [] : [baseUrlHint]);
}

/** Whether a body is a text, such as the page of a proxy. */
function isPage(body: unknown): boolean {
  return typeof body === 'string' && body.trim() !== '';
}

function getRetryHint(error: AnyTradepostError): string {
  const seconds = getRetryAfter(error);
  return seconds ? `Try again in ${Math.ceil(seconds)} s.` : 'Try again later.';
}

/** The paths that are extensions, and the extension of each. */
const extensionPaths: readonly (readonly [RegExp, Extension])[] = [
  [/^\/v1\/account$/, 'account'],
  [/^\/v1\/summary$/, 'summary'],
  [/^\/v1\/orders\/[^/]+\/timeline$/, 'orders.timeline'],
  [/^\/v1\/events(\/|$)/, 'events'],
  [/^\/v1\/keys(\/|$)/, 'keys'],
  [/^\/v1\/(sign-in-codes|sessions)$/, 'sessions'],
  [/^\/v1\/deliveries(\/|$)/, 'deliveries'],
  [/^\/v1\/webhooks\/[^/]+\/secret/, 'webhooks.secrets'],
  [/^\/v1\/webhooks\/[^/]+\/test$/, 'webhooks.test'],
  [/^\/v1\/webhooks\/[^/]+\/replays$/, 'deliveries.replays'],
  [/^\/v1\/webhooks(\/[^/]+)?$/, 'webhooks.manage'],
];

/** Returns hints when the service does not have the path of a request, since it is an extension. */
function getExtensionHints(error: AnyTradepostError): readonly Hint[] {
  const { status, code, method, path, problem, extensions } = error;
  if (path === '/v1/webhooks' && method === 'POST') return [];
  const extension = extensionPaths.find(([pattern]) => pattern.test(path ?? ''))?.[1];
  if (extension === undefined || extensions.includes(extension)) return [];
  // With a problem, a 404 may be about the ID in the path.
  const isPathMissing = status === 404 && (problem === null || getExitReason(error) === 'usage');
  if (!(isPathMissing || status === 405 || status === 501 || code === 'route_not_found')) return [];
  return [
    `This needs the extension ${extension} of the API, which this service does not have.`,
    baseUrlHint,
  ];
}
