/**
 * Links stored responses to the webhooks that they show, so that they can be erased with them. Also records since when
 * deliveries wait, to handle a clock that is set back.
 */
export const secretsAndWaits = `
ALTER TABLE idempotency_keys ADD COLUMN webhook_id TEXT;
UPDATE idempotency_keys
  SET webhook_id = coalesce(
    json_extract(answer, '$.body.data.webhookId'), json_extract(answer, '$.body.data.id'))
  WHERE operation IN ('createWebhook', 'stageWebhookSecret', 'promoteWebhookSecret');
CREATE INDEX idempotency_keys_of_webhook ON idempotency_keys (webhook_id)
  WHERE webhook_id IS NOT NULL;
-- For webhooks that were deleted before this migration.
UPDATE idempotency_keys SET answer = ''
  WHERE webhook_id IS NOT NULL
    AND webhook_id NOT IN (SELECT id FROM webhooks WHERE deleted_at IS NULL);

-- When due_at was decided: at the end of the last attempt, or when the delivery was queued.
ALTER TABLE deliveries ADD COLUMN scheduled_at INTEGER;
UPDATE deliveries SET scheduled_at = coalesce(
    (SELECT started_at + duration FROM attempts
     WHERE delivery_seq = deliveries.seq AND number = deliveries.attempts),
    created_at)
  WHERE state = 'pending';
`;
