/**
 * Stored responses that show a webhook, and may show its secret, are found when the webhook is deleted, to erase them.
 */
export const erasedSecrets = `
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
`;
