import type {
  Account,
  AnyTradepostError,
  Extension,
  RequestOptions,
  Result,
  Tradepost,
} from '@tradepost/sdk';
import { explainWebhook } from '@tradepost/sdk/explain';
import { isUnsupported } from '../../config/identity';
import type { CliContext } from '../../context';
import { CliError, capitalize, commandHint, type Hint } from '../../errors/cli-error';
import { getExitReason } from '../../errors/exit-codes';
import { formatCount } from '../../output/text';
import { describeError } from '../../report/error-report';
import { isUnhealthy } from '../webhooks/endpoint-view';
import { type Finding, failed, passed, skipped } from './check-machine';

/** The timeout of a request, in milliseconds. There are no retries: a person is waiting. */
const timeout = 10_000;

/** The extensions of the API, and what is not possible without them. */
const extensions: readonly (readonly [check: string, Extension, lost: string])[] = [
  ['account', 'account', 'whoami cannot show the account'],
  ['events', 'events', 'events cannot be listed, watched or forwarded'],
  ['webhooks', 'webhooks.manage', 'webhooks can be registered, but not listed or changed'],
  ['deliveries', 'deliveries', 'deliveries cannot be listed, explained or replayed'],
];

const extensionChecks = extensions.map(([check]) => check);
const laterChecks = [
  ...['key', 'key-expiry', 'clock', ...extensionChecks],
  ...['endpoints', 'service-version'],
];

export function skipService(why: string): Finding[] {
  return ['service', ...laterChecks].map((check) => skipped(check, `skipped: ${why}`));
}

/**
 * Checks the service, one request after the other.
 *
 * @param hasKey whether a key is set: without one, only the connection is checked
 * @throws {CliError} `interrupted` after Ctrl-C
 */
export async function checkService(
  tradepost: Tradepost,
  context: CliContext,
  hasKey: boolean,
): Promise<Finding[]> {
  const options = { timeout, deadline: timeout, maxRetries: 0, signal: context.signal };
  let startedAt = context.now();
  let endedAt = startedAt;
  async function send<Data>(call: () => Promise<Result<Data>>): Promise<Result<Data>> {
    startedAt = context.now();
    const result = await call();
    endedAt = context.now();
    if (context.signal.aborted) {
      throw new CliError('interrupted', 'Interrupted. Some checks did not run.');
    }
    return result;
  }

  const identity = await send(() => tradepost.account.get(options).safe());
  // A service without extensions does not report accounts: orders verify the key.
  const first =
    !identity.ok && isUnsupported(identity.error)
      ? await send(() => tradepost.orders.list({}, options).safe())
      : identity;
  const durationMs = endedAt - startedAt;
  const account = identity.ok ? identity.data : null;
  if (!first.ok) {
    return describeFailure(first.error, durationMs, hasKey);
  }
  return [
    passed('service', `responds within ${durationMs} ms`),
    describeKey(account),
    checkExpiry(account, context.now()),
    checkClock(first.headers.get('date'), startedAt, endedAt),
    ...extensions.map(([check, extension, lost]) =>
      first.extensions.includes(extension)
        ? passed(check, 'supported')
        : skipped(check, `not supported: ${lost}`),
    ),
    await checkEndpoints(tradepost, first.extensions, options, context),
    describeVersion(first.headers.get('server')),
  ];
}

/** Checks whether the endpoints of webhooks get their deliveries. */
async function checkEndpoints(
  { webhooks }: Tradepost,
  available: readonly string[],
  options: RequestOptions,
  context: CliContext,
): Promise<Finding> {
  const check = 'endpoints';
  if (!available.includes('webhooks.manage')) return skipped(check, 'unknown');
  const found = await webhooks.list({ limit: 100 }, options).safe();
  if (!found.ok) return skipped(check, `unknown: ${describeError(found.error).message}`);
  const { data } = found.data;
  const bad = data.filter((webhook) => isUnhealthy(webhook, context));
  if (bad.length === 0)
    return passed(check, `${formatCount(data.length, 'webhook')}, none failing`);
  const hints = bad.map((webhook) => {
    const { summary } = explainWebhook(webhook, { now: context.now() });
    return commandHint(`${capitalize(summary)}:`, 'webhooks explain', webhook.id);
  });
  return passed(check, `${bad.length} of ${formatCount(data.length, 'webhook')} failing`, ...hints);
}

function describeFailure(error: AnyTradepostError, durationMs: number, hasKey: boolean): Finding[] {
  const isRejected = getExitReason(error) === 'auth';
  const { message, hints } = describeError(error);
  const service = isRejected
    ? passed('service', `responds within ${durationMs} ms${hasKey ? '' : ' (without a key)'}`)
    : failed('service', getExitReason(error), message, ...hints);
  const why = isRejected ? 'key not accepted' : 'service unavailable';
  const others = laterChecks.map((check) => {
    if (check !== 'key' || !isRejected) return skipped(check, `skipped: ${why}`);
    if (!hasKey) return skipped(check, 'skipped: no API key');
    return failed(check, 'auth', error.problem?.detail ?? message, ...hints);
  });
  return [service, ...others];
}

function describeKey(account: Account | null): Finding {
  // Services differ in what they report about an account.
  const known = [account?.name, account?.kind, account?.id].filter(
    (field) => typeof field === 'string',
  );
  const rights = account?.key?.readOnly ? ', read-only' : '';
  return passed('key', `accepted: ${known.join(', ') || 'account unknown'}${rights}`);
}

const dayMs = 86_400_000;
/** A key that expires within these days gets a warning. */
const soonDays = 14;

function checkExpiry(account: Account | null, now: number): Finding {
  const expiresAt: string | null | undefined = account?.key?.expiresAt;
  if (expiresAt === undefined) return skipped('key-expiry', 'unknown');
  if (expiresAt === null) return passed('key-expiry', 'never');
  const left = Date.parse(expiresAt) - now;
  if (Number.isNaN(left)) return skipped('key-expiry', `unknown: invalid time '${expiresAt}'`);
  const hints: Hint[] = ['Request a new key.', commandHint('Then run', 'login')];
  if (left <= 0) return failed('key-expiry', 'auth', `expired at ${expiresAt}`, ...hints);
  const days = Math.floor(left / dayMs);
  const detail = `expires at ${expiresAt}, in ${formatCount(days, 'day')}`;
  return passed('key-expiry', detail, ...(days < soonDays ? hints : []));
}

/** Receivers reject deliveries whose timestamp is off by more than this. Source: Standard Webhooks. */
const maxSkewMs = 5 * 60_000;
const minReportedSkewMs = 5_000;

/** `Date` has whole seconds: the time is half a second later on average. */
const roundingMs = 500;

/**
 * Compares the clock of this machine with that of the service.
 *
 * @param date the response header `Date`; null without one
 * @param startedAt when the request was sent, in milliseconds since 1970
 * @param endedAt when the response arrived
 */
export function checkClock(date: string | null, startedAt: number, endedAt: number): Finding {
  const serviceTime = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serviceTime)) return skipped('clock', 'unknown: the service sends no Date');
  // Assumes that the response was created half-way.
  const aheadMs = (startedAt + endedAt) / 2 - (serviceTime + roundingMs);
  const skewMs = Math.abs(aheadMs);
  const accuracyMs = roundingMs + (endedAt - startedAt) / 2;
  if (skewMs <= Math.max(minReportedSkewMs, accuracyMs)) {
    return passed('clock', 'in sync with the service');
  }
  const seconds = Math.round(skewMs / 1000);
  const skew = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const detail = `${skew} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service`;
  const hint = 'Synchronise the clock of this machine (NTP).';
  if (skewMs <= maxSkewMs) return passed('clock', detail, hint);
  const consequence = 'receivers reject deliveries that are 5 minutes off';
  return failed('clock', 'error', `${detail}: ${consequence}`, hint);
}

/** Many services omit the header on purpose. */
function describeVersion(server: string | null): Finding {
  return server === null
    ? skipped('service-version', 'unknown')
    : passed('service-version', server);
}
