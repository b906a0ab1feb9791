/**
 * Adds a queue for each endpoint, the event log of each account, and the request of each attempt. Recreates deliveries and
 * attempts with the columns that lists filter by and with integer row IDs, so that an index of a million deliveries stays small.
 */
export const endpointQueues = `
CREATE TABLE queues (
  webhook_id TEXT PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  -- Pending deliveries, including leased ones.
  depth INTEGER NOT NULL,
  in_flight INTEGER NOT NULL,
  paused INTEGER NOT NULL,
  allowance INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  failed_at INTEGER NOT NULL,
  held_until INTEGER NOT NULL,
  -- When a worker should poll it next; null while nothing may be leased.
  next_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX queues_next ON queues (next_at) WHERE next_at IS NOT NULL;

ALTER TABLE webhooks ADD COLUMN staged_secret TEXT;
ALTER TABLE webhooks ADD COLUMN staged_at INTEGER;
ALTER TABLE webhooks ADD COLUMN deleted_at INTEGER;
DROP INDEX webhooks_of_account;
CREATE INDEX webhooks_of_account ON webhooks (account_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_events_of_webhook ON webhook_events (webhook_id);

CREATE TABLE deliveries_anew (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id),
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  kind TEXT NOT NULL,
  test INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- Attempts since it was queued or replayed.
  tries INTEGER NOT NULL,
  -- When the next attempt is due; null once it is final and while it is leased.
  due_at INTEGER,
  deadline_at INTEGER NOT NULL,
  lease_token TEXT,
  lease_until INTEGER,
  -- Whether the lease counts towards the concurrency limit: not after another worker has started.
  lease_counts INTEGER NOT NULL DEFAULT 0,
  last_status INTEGER,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
INSERT INTO deliveries_anew
  SELECT NULL, d.id, d.event_id, d.webhook_id, e.kind, 0, d.state, d.attempts, d.attempts, d.due_at,
    d.deadline_at, NULL, NULL, 0, a.status, a.error, d.created_at,
    CASE d.state WHEN 'pending' THEN NULL ELSE coalesce(a.started_at + a.duration, d.deadline_at) END
  FROM deliveries AS d
  JOIN events AS e ON e.id = d.event_id
  LEFT JOIN attempts AS a ON a.delivery_id = d.id AND a.number = d.attempts
  ORDER BY d.id;

CREATE TABLE attempts_anew (
  delivery_seq INTEGER NOT NULL REFERENCES deliveries_anew (seq) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  url TEXT NOT NULL,
  headers TEXT NOT NULL,
  status INTEGER,
  error TEXT,
  excerpt TEXT NOT NULL,
  PRIMARY KEY (delivery_seq, number)
) STRICT, WITHOUT ROWID;
INSERT INTO attempts_anew
  SELECT d.seq, a.number, a.started_at, a.duration, w.url, '{}', a.status, a.error, a.excerpt
  FROM attempts AS a
  JOIN deliveries_anew AS d ON d.id = a.delivery_id
  JOIN webhooks AS w ON w.id = d.webhook_id;
DROP TABLE attempts;
DROP TABLE deliveries;
ALTER TABLE deliveries_anew RENAME TO deliveries;
ALTER TABLE attempts_anew RENAME TO attempts;

CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX deliveries_by_deadline ON deliveries (deadline_at) WHERE state = 'pending';
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, state, created_at, id);
CREATE INDEX deliveries_of_event ON deliveries (event_id);

INSERT INTO queues
  SELECT w.id,
    (SELECT count(*) FROM deliveries AS d WHERE d.webhook_id = w.id AND d.state = 'pending'),
    0, w.status = 'paused', 4, 0, 0, 0,
    (SELECT min(d.due_at) FROM deliveries AS d WHERE d.webhook_id = w.id AND w.status = 'active')
  FROM webhooks AS w;

-- One row for each event and account that may see it, in the order of their commits. Its sequence number is at least
-- 1,024 times the event's time, as in event-log.ts.
CREATE TABLE account_events (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL
) STRICT;
INSERT INTO account_events
  SELECT number + max(created_at * 1024 - number) OVER (ORDER BY number), account_id, event_id
  FROM (
    SELECT row_number() OVER (ORDER BY created_at, event_id, id) AS number, created_at, account_id,
      event_id
    FROM notifications);
CREATE INDEX account_events_of_account ON account_events (account_id, seq);
CREATE INDEX account_events_of_event ON account_events (event_id);

CREATE INDEX notifications_of_event ON notifications (event_id);
`;
