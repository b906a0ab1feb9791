import { accountNames } from '../../profile/profile';
import { outcome } from '../../service/call';
import { eventKinds } from '../facts';
import { CannotRun, type Run, registerWebhook } from '../run';

/** Proves that the service can be reached with every key, and registers a webhook of every account. */
export async function start(run: Run): Promise<void> {
  const { profile, service } = run;
  for (const account of accountNames) {
    if (profile.keys[account] === undefined) continue;
    const call = await service.callTwice(account, 'listOrders');
    if (call.response === null) {
      throw new CannotRun(
        `Cannot reach ${profile.baseUrl} (${outcome(call)}). Check baseUrl in the profile, and that the service runs.`,
      );
    }
    if (call.response.status === 401) {
      throw new CannotRun(
        `The service refuses the key of the ${account} (HTTP 401). Check keys.${account} in the profile.`,
      );
    }
  }
  for (const account of ['buyer', 'seller', 'agent', 'stranger'] as const) {
    await registerWebhook(run, account, `ok-${account}`, { events: eventKinds, behaviour: 200 });
  }
}
