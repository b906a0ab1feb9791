import type { IdempotencyKey, IdempotentResult } from '@tradepost/domain/kernel/idempotency';
import { aContext, noon } from '@tradepost/domain/test/builders';
import type { Webhook, WebhookWithHealth } from '@tradepost/domain/webhooks/webhook';
import type { Store } from '../../src/stores/store';

/** Options of a change of a webhook. */
export interface ChangeOptions {
  idempotencyKey?: IdempotencyKey | null;
  now?: number;
}

/** A response whose body is the changed webhook. */
export interface Changed {
  status: number;
  headers: Record<string, string>;
  body: Webhook;
}

/** Changes a webhook of its account. `change` may throw to reject. */
export function changeWebhook(
  { webhooks }: Store,
  { accountId, id }: Webhook,
  change: Partial<Webhook> | ((found: WebhookWithHealth) => Partial<Webhook>),
  { idempotencyKey = null, now = noon }: ChangeOptions = {},
): Promise<IdempotentResult<Changed>> {
  const request = { accountId, id, idempotencyKey, context: aContext(now) };
  return webhooks.changeWebhook(request, (found) => {
    if (found === null) throw new Error('there is no such webhook');
    const { health: _own, ...webhook } = found;
    const body = { ...webhook, ...(typeof change === 'function' ? change(found) : change) };
    return { webhook: body, response: { status: 200, headers: {}, body } };
  });
}
