import type { Answer, Answered, IdempotencyClaim } from '../idempotency-claim';
import type { Moment } from '../moment';
import type { Webhook } from './webhook';

/** Where webhooks are kept. Each verb is one transaction. */
export interface WebhookStore {
  /** Adds a webhook; `decide` is told how many the account has. A claim that was answered before is answered the same, and nothing is decided. */
  addWebhook<Given extends Answer>(
    request: { accountId: string; claim: IdempotencyClaim | null; moment: Moment },
    decide: (registered: number) => { webhook: Webhook; answer: Given },
  ): Promise<Answered<Given>>;
}
