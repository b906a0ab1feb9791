/**
 * Statistics of webhooks. The pages have room for the updates of their newest rows.
 *
 * A server of the first schema counts nothing, and removes the rows of a deleted webhook with it.
 */
export const webhookStats = `
-- What was counted of each webhook, in minutes and in hours. A row is added with the first count.
CREATE TABLE webhook_stats (
  webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- How long the bucket is, in milliseconds.
  width BIGINT NOT NULL,
  start BIGINT NOT NULL,
  -- Finished deliveries.
  delivered BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  -- Attempts by the class of their response.
  status_2xx BIGINT NOT NULL,
  status_3xx BIGINT NOT NULL,
  status_4xx BIGINT NOT NULL,
  status_5xx BIGINT NOT NULL,
  no_status BIGINT NOT NULL,
  -- The latency of those with a response: its sum in milliseconds, and how many are between the limit before and this one.
  latency_sum BIGINT NOT NULL,
  latency_5 BIGINT NOT NULL,
  latency_10 BIGINT NOT NULL,
  latency_25 BIGINT NOT NULL,
  latency_50 BIGINT NOT NULL,
  latency_100 BIGINT NOT NULL,
  latency_250 BIGINT NOT NULL,
  latency_500 BIGINT NOT NULL,
  latency_1000 BIGINT NOT NULL,
  latency_2500 BIGINT NOT NULL,
  latency_5000 BIGINT NOT NULL,
  latency_10000 BIGINT NOT NULL,
  latency_15000 BIGINT NOT NULL,
  PRIMARY KEY (webhook_id, width, start)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- To remove old ones.
CREATE INDEX webhook_stats_by_start ON webhook_stats (width ASC, start);
`;
