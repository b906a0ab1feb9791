/**
 * When the service disabled a webhook. An older server shows it as paused; where it resumes one, the time stays, and is ignored while
 * the webhook is active. It leaves out the type `webhook.disabled` of a webhook that it changes.
 */
export const disabledEndpoints = `
ALTER TABLE webhooks ADD COLUMN disabled_at BIGINT;
`;

/** The endpoints that fail, which are few. */
export const failingQueues = [
  `CREATE INDEX CONCURRENTLY queues_failing ON queues (failing_since ASC) WHERE failing_since > 0 AND NOT paused`,
];
