import { accountNames } from '../../profile/profile';
import { type Call, findHeader, isUnclear, objectIn, outcome } from '../../service/call';
import { eventKinds, listExtensions } from '../facts';
import { CannotRun, type Run, registerWebhook } from '../run';

/** What to do about an error of a connection, by its code. */
function findHint(error: string): string {
  if (error === 'ENOTFOUND') return 'No host has this name: check baseUrl in the profile.';
  if (/^(EPROTO|ERR_SSL_.*|HPE_INVALID_.*|ECONNRESET)$/.test(error)) {
    return 'Check whether baseUrl in the profile has the right protocol, http or https, and that the service runs.';
  }
  return 'Check baseUrl in the profile, and that the service runs.';
}

/** Whether a list of orders is not at this address: another one is named, or none. */
const isElsewhere = ({ response }: Call) =>
  [301, 302, 303, 307, 308, 404].includes(response?.status ?? 0);

/**
 * Ends the run if two keys are of one account: what must be hidden from one would be visible to the other.
 *
 * @throws {CannotRun} names the fields of the profile
 */
async function refuseTwins({ profile, service }: Run): Promise<void> {
  const fieldOf = new Map<string, string>();
  for (const account of accountNames) {
    if (profile.keys[account] === undefined) continue;
    const id = objectIn(await service.send(account, 'GET', '/v1/account'))?.id;
    if (typeof id !== 'string') continue;
    const twin = fieldOf.get(id);
    if (twin !== undefined) {
      throw new CannotRun(
        `${twin} and keys.${account} are of one account, ${id}. Set keys of different accounts.`,
      );
    }
    fieldOf.set(id, `keys.${account}`);
  }
}

/** Proves that the service can be reached with every key, and registers a webhook of every account. */
export async function start(run: Run): Promise<void> {
  const { profile, service } = run;
  const calls: Call[] = [];
  for (const account of accountNames) {
    if (profile.keys[account] === undefined) continue;
    run.log(`Listing the orders of the ${account}`);
    let call = await service.call(account, 'listOrders');
    // A service that hangs would hang again.
    const isQuick = call.endedAt - call.sentAt < 10_000;
    if (isUnclear(call) && isQuick) call = await service.call(account, 'listOrders');
    calls.push(call);
    if (call.response === null) {
      const hint = findHint(call.error ?? '');
      throw new CannotRun(`Cannot reach ${profile.baseUrl}: ${outcome(call)}. ${hint}`);
    }
    if (call.response.status === 401) {
      throw new CannotRun(
        `The service refuses the key of the ${account} (HTTP 401). Check keys.${account} in the profile.`,
      );
    }
  }
  const [first] = calls;
  if (first && calls.every(({ response }) => Number(response?.status) >= 500)) {
    throw new CannotRun(
      `${first.url} responds to every account with an error of the server: ${outcome(first)}. Look at the log of the service.`,
    );
  }
  if (first?.response && calls.every(isElsewhere)) {
    const location = findHeader(first.response.headers, 'location');
    const target = location === null ? '' : ` (Location: ${location})`;
    throw new CannotRun(
      `${first.url} responds to every account with ${outcome(first)}${target}. Is baseUrl in the profile right? It is what stands before /v1.`,
    );
  }
  if (listExtensions(run.facts)?.includes('account')) await refuseTwins(run);
  for (const account of ['buyer', 'seller', 'agent', 'stranger'] as const) {
    await registerWebhook(run, account, `ok-${account}`, { events: eventKinds, behaviour: 200 });
  }
}
