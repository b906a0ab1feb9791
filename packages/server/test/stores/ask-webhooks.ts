import type { Answered, IdempotencyClaim } from '../../src/idempotency-claim';
import type { Store } from '../../src/store';
import type { Webhook } from '../../src/webhooks/webhook';
import type { WatchedWebhook } from '../../src/webhooks/webhook-traffic';
import { aMoment, noon } from '../builders';

/** What a change of a webhook is asked with. */
export interface Asking {
  claim?: IdempotencyClaim | null;
  now?: number;
}

/** An answer whose body is the webhook as the change leaves it. */
export interface Changed {
  status: number;
  headers: Record<string, string>;
  body: Webhook;
}

/** Changes a webhook of its account; `change` may refuse by throwing. */
export function changeWebhook(
  { webhooks }: Store,
  { accountId, id }: Webhook,
  change: Partial<Webhook> | ((found: WatchedWebhook) => Partial<Webhook>),
  { claim = null, now = noon }: Asking = {},
): Promise<Answered<Changed>> {
  const request = { accountId, id, claim, moment: aMoment(now) };
  return webhooks.changeWebhook(request, (found) => {
    if (found === null) throw new Error('there is no such webhook');
    const { traffic: _own, ...webhook } = found;
    const body = { ...webhook, ...(typeof change === 'function' ? change(found) : change) };
    return { webhook: body, answer: { status: 200, headers: {}, body } };
  });
}
