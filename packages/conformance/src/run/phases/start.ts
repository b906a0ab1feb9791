import { accountNames } from '../../profile/profile';
import { type Call, findHeader, outcome } from '../../service/call';
import { eventKinds } from '../facts';
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

/** Proves that the service can be reached with every key, and registers a webhook of every account. */
export async function start(run: Run): Promise<void> {
  const { profile, service } = run;
  const calls: Call[] = [];
  for (const account of accountNames) {
    if (profile.keys[account] === undefined) continue;
    run.log(`Listing the orders of the ${account}`);
    const call = await service.callTwice(account, 'listOrders');
    calls.push(call);
    if (call.response === null) {
      const hint = findHint(call.error ?? '');
      throw new CannotRun(`Cannot reach ${profile.baseUrl}: ${outcome(call)}, twice. ${hint}`);
    }
    if (call.response.status === 401) {
      throw new CannotRun(
        `The service refuses the key of the ${account} (HTTP 401). Check keys.${account} in the profile.`,
      );
    }
  }
  const [first] = calls;
  if (first?.response && calls.every(isElsewhere)) {
    const location = findHeader(first.response.headers, 'location');
    const target = location === null ? '' : ` (Location: ${location})`;
    throw new CannotRun(
      `${first.url} responds to every account with ${outcome(first)}${target}. Is baseUrl in the profile right? It is what stands before /v1.`,
    );
  }
  for (const account of ['buyer', 'seller', 'agent', 'stranger'] as const) {
    await registerWebhook(run, account, `ok-${account}`, { events: eventKinds, behaviour: 200 });
  }
}
