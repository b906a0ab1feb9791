import type { Call } from './call';
import type { Planned } from './choices';
import { countedFor } from './event-rules';
import type { ModelRun } from './model-run';
import type { Operation } from './operator-model';
import { isHeld } from './webhook-rules';

/** How many pages of a list are read. */
const maxPages = 6;
const sessionLifetime = 12 * 3_600_000;

const urls = ({ state }: ModelRun) => Object.keys(state.receivers);

function firstKey({ state }: ModelRun, accountId: string): string | null {
  return state.keys.find((key) => key.accountId === accountId)?.text ?? null;
}

/** Reads the first pages of a list, each with the cursor of the one before. */
export async function readPages(run: ModelRun, call: Call, limit: number): Promise<void> {
  const { cursor: _cursor, after: _after, before: _before, ...given } = call.query ?? {};
  const isTail = 'tail' in given;
  const filter: NonNullable<Call['query']> = {
    ...given,
    ...(isTail ? { tail: limit } : { limit }),
  };
  const cursor = call.route !== 'events.list' ? 'cursor' : isTail ? 'before' : 'after';
  let query: Call['query'] = filter;
  for (let count = 0; count < maxPages && query !== undefined; count += 1) {
    const { length } = run.state.cursors;
    await run.perform([{ call: { ...call, query } }]);
    const next = run.state.cursors.slice(length).at(-1);
    // `after` excludes `since`.
    const { since: _since, ...rest } = filter;
    query = next && { ...(cursor === 'after' ? rest : filter), [cursor]: next.text };
  }
}

/** Registers more webhooks than an account may have, at the same time. They get few events. */
export async function exceedWebhooks(run: ModelRun, account: number): Promise<void> {
  const { id: accountId = '' } = run.state.accounts[account] ?? {};
  const own = run.state.webhooks.filter((one) => one.accountId === accountId && !one.isDeleted);
  const limits = { maxWebhooks: own.length + 1 };
  await run.operate({ kind: 'limitAccount', accountId, limits });
  const apiKey = firstKey(run, accountId);
  const body = { url: urls(run)[1], events: ['listing.availability_low'] };
  const create = { call: { apiKey, route: 'webhooks.create', body } } as const;
  await run.perform([create, create, create]);
  await run.operate({ kind: 'limitAccount', accountId, limits: { maxWebhooks: null } });
}

/** Performs actions while something is in force, and sends what is due. */
export async function performDuring(
  run: ModelRun,
  operation: Operation,
  plans: readonly (() => readonly Planned[])[],
  undo: Operation,
): Promise<void> {
  await run.operate(operation);
  // From then on, a limit is known that was not before.
  if (run.mayPass(countedFor)) await run.pass(countedFor);
  for (const plan of plans) {
    const planned = plan();
    if (planned.length > 0) await run.perform(planned);
  }
  if (!run.isSending) await run.deliver();
  await run.operate(undo);
}

/**
 * Exchanges a new sign-in code twice at the same time, uses the session, and lets it end. The key, which may be read-only or end soon, and
 * the session try to create keys.
 */
export async function signIn(
  run: ModelRun,
  apiKey: string,
  end: 'revoke' | 'sign out' | 'time',
): Promise<void> {
  const { length } = run.state.codes;
  await run.perform([{ call: { apiKey, route: 'signInCodes.create' } }]);
  const code = run.state.codes[length]?.text;
  if (code === undefined) return;
  const exchange = { call: { apiKey: null, route: 'sessions.create', body: { code } } } as const;
  const create = { route: 'keys.create', body: { expiresIn: 3_600 } } as const;
  await run.perform([exchange, exchange, { call: { apiKey, ...create } }]);
  const session = run.state.keys.findLast(({ isSession }) => isSession)?.text ?? null;
  const use = { call: { apiKey: session, route: 'account.get' } } as const;
  await run.perform([use, { call: { apiKey: session, ...create } }]);
  if (end === 'time') {
    if (run.mayPass(sessionLifetime)) await run.pass(sessionLifetime);
    return run.perform([use]);
  }
  const ended = end === 'revoke' ? apiKey : session;
  const id = run.state.keys.find(({ text }) => text === ended)?.id ?? '';
  await run.perform([{ call: { apiKey: session, route: 'keys.revoke', id } }, use]);
  await run.perform([use]);
}

/** Whether attempts to a webhook can be made to fail. */
export function mayFail({ state }: Readonly<ModelRun>, at: number): boolean {
  const webhook = state.webhooks[at];
  return webhook !== undefined && !webhook.isDeleted && !isHeld(state, webhook);
}

/** Lets all attempts to a webhook fail for as long as it takes until it is disabled, with housekeeping or without. */
export async function fail(run: ModelRun, at: number, disables: boolean): Promise<void> {
  const { id, url, accountId } = run.state.webhooks[at] ?? { id: '', url: '', accountId: '' };
  run.setReceiver(Object.keys(run.state.receivers).indexOf(url), { status: 500 });
  const apiKey = firstKey(run, accountId);
  const other = { url: urls(run)[2], events: ['webhook.disabled'] };
  await run.perform([{ call: { apiKey, route: 'webhooks.create', body: other } }]);
  const call: Call = { apiKey, route: 'webhooks.test', id, body: { event: 'order.created' } };
  for (let round = 0; round < 6; round += 1) {
    if (round > 0) await run.pass(15 * 3_600_000);
    await run.perform([{ call }]);
    await run.deliver();
    if (disables) await run.disableFailing();
  }
}
