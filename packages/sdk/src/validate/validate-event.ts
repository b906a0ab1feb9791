import { webhookEventSchema } from '@tradepost/contract/schemas';
import type { ProblemIssue } from '@tradepost/sdk';
import { describeIssue, valueAt } from './describe-issue';

/**
 * Validates an event of a known type: that its `data` has every field of the contract, with the right type. Pass
 * it to a receiver as its option `validate`, or call it with the event of `verifyWebhook`.
 *
 * Additional fields, unknown statuses and IDs in any format are valid, because the service may add to them. An
 * event of a type that this version does not know is always valid.
 *
 * @returns the issues, with the position in the event as `path`, such as `data.orderId`. Empty when it is valid.
 */
export function validateEvent(event: unknown): readonly ProblemIssue[] {
  const issues = webhookEventSchema.safeParse(event).error?.issues ?? [];
  return issues
    .filter(
      ({ code, path }) =>
        code === 'invalid_type' ||
        // Not an unknown text where the contract has a list.
        (code === 'invalid_value' && typeof valueAt(event, path) !== 'string'),
    )
    .map((issue) => describeIssue(issue, event));
}
