/**
 * Stored responses that show a webhook, and may show its secret, are found when the webhook is deleted, to erase them.
 * And deliveries say since when they wait, so that a clock that is set back can be followed.
 */
export const secretsAndWaits = `
ALTER TABLE idempotency_keys ADD COLUMN webhook_id TEXT;
UPDATE idempotency_keys
  SET webhook_id = coalesce(
    json_extract(answer, '$.body.data.webhookId'), json_extract(answer, '$.body.data.id'))
  WHERE operation IN ('createWebhook', 'stageWebhookSecret', 'promoteWebhookSecret');
CREATE INDEX idempotency_keys_of_webhook ON idempotency_keys (webhook_id)
  WHERE webhook_id IS NOT NULL;
-- Of webhooks that were deleted before this migration.
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
