/** When the service disabled a webhook, and an index of the endpoints that fail, which are few. */
export const disabledEndpoints = `
ALTER TABLE webhooks ADD COLUMN disabled_at INTEGER;
CREATE INDEX queues_failing ON queues (failing_since) WHERE failing_since > 0 AND paused = 0;
`;
