/**
 * Statistics of webhooks.
 */
export const webhookStats = `
-- What was counted of each webhook, in minutes and in hours. A row is added with the first count.
CREATE TABLE webhook_stats (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- How long the bucket is, in milliseconds.
  width INTEGER NOT NULL,
  start INTEGER NOT NULL,
  -- Finished deliveries.
  delivered INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  -- Attempts by the class of their response.
  status_2xx INTEGER NOT NULL,
  status_3xx INTEGER NOT NULL,
  status_4xx INTEGER NOT NULL,
  status_5xx INTEGER NOT NULL,
  no_status INTEGER NOT NULL,
  -- The latency of those with a response: its sum in milliseconds, and how many are between the limit before and this one.
  latency_sum INTEGER NOT NULL,
  latency_5 INTEGER NOT NULL,
  latency_10 INTEGER NOT NULL,
  latency_25 INTEGER NOT NULL,
  latency_50 INTEGER NOT NULL,
  latency_100 INTEGER NOT NULL,
  latency_250 INTEGER NOT NULL,
  latency_500 INTEGER NOT NULL,
  latency_1000 INTEGER NOT NULL,
  latency_2500 INTEGER NOT NULL,
  latency_5000 INTEGER NOT NULL,
  latency_10000 INTEGER NOT NULL,
  latency_15000 INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, width, start)
) STRICT, WITHOUT ROWID;
-- To remove old ones.
CREATE INDEX webhook_stats_by_start ON webhook_stats (width, start);
`;
