import type { Answer, Answered, IdempotencyClaim } from '../idempotency-claim';
import type { Moment } from '../moment';
import type { Webhook } from './webhook';

/** Where webhooks are kept. Each verb is one transaction. */
export interface WebhookStore {
  /** Adds a webhook. A claim that was answered before is answered the same, and nothing is decided. */
  addWebhook<Given extends Answer>(
    request: { claim: IdempotencyClaim | null; moment: Moment },
    decide: () => { webhook: Webhook; answer: Given },
  ): Promise<Answered<Given>>;
}
