/** The first schema. Times are in milliseconds since 1970, booleans are 0 and 1. */
export const firstSchema = `
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('buyer', 'seller', 'agent')),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  read_only INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_of_account ON api_keys (account_id);

CREATE TABLE listings (
  id TEXT PRIMARY KEY,
  seller_id TEXT NOT NULL REFERENCES accounts (id),
  agent_id TEXT REFERENCES accounts (id),
  available_quantity INTEGER NOT NULL CHECK (available_quantity >= 0),
  -- Units that it was created with, and that were added or taken away since, but not by orders.
  supplied_quantity INTEGER NOT NULL,
  low_threshold INTEGER,
  low_stock_notified INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  title TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
  id TEXT PRIMARY KEY,
  status TEXT NOT NULL,
  buyer_id TEXT NOT NULL REFERENCES accounts (id),
  seller_id TEXT NOT NULL REFERENCES accounts (id),
  agent_id TEXT REFERENCES accounts (id),
  listing_id TEXT NOT NULL REFERENCES listings (id),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Three for each kind of account: its newest orders, its newest orders with a status, and those that were changed last.
CREATE INDEX orders_of_buyer ON orders (buyer_id, created_at, id);
CREATE INDEX orders_of_buyer_by_status ON orders (buyer_id, status, created_at, id);
CREATE INDEX orders_of_buyer_by_update ON orders (buyer_id, updated_at, id);
CREATE INDEX orders_of_seller ON orders (seller_id, created_at, id);
CREATE INDEX orders_of_seller_by_status ON orders (seller_id, status, created_at, id);
CREATE INDEX orders_of_seller_by_update ON orders (seller_id, updated_at, id);
CREATE INDEX orders_of_agent ON orders (agent_id, created_at, id) WHERE agent_id IS NOT NULL;
CREATE INDEX orders_of_agent_by_status ON orders (agent_id, status, created_at, id)
  WHERE agent_id IS NOT NULL;
CREATE INDEX orders_of_agent_by_update ON orders (agent_id, updated_at, id)
  WHERE agent_id IS NOT NULL;

-- With whom each account has traded: the accounts of an order with each other.
CREATE TABLE partners (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  partner_id TEXT NOT NULL REFERENCES accounts (id),
  PRIMARY KEY (account_id, partner_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL UNIQUE REFERENCES orders (id),
  agent_id TEXT NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id TEXT PRIMARY KEY,
  event_type TEXT NOT NULL,
  order_id TEXT REFERENCES orders (id),
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The version that its order had after the change that caused it.
  order_version INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_order ON events (order_id) WHERE order_id IS NOT NULL;

-- One row for each event and account that may see it, in the order of their commits. Its sequence number is at least
-- 1,024 times the event's time, as in event-log.ts.
CREATE TABLE account_events (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL
) STRICT;
CREATE INDEX account_events_of_account ON account_events (account_id, seq);
CREATE INDEX account_events_of_event ON account_events (event_id);

-- How far each event log was pruned.
CREATE TABLE event_logs (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  pruned_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  event_id TEXT NOT NULL REFERENCES events (id),
  type TEXT NOT NULL,
  order_id TEXT NOT NULL REFERENCES orders (id),
  message TEXT NOT NULL,
  read INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_of_account ON notifications (account_id, created_at, id);
CREATE INDEX notifications_of_account_by_read ON notifications (account_id, read, created_at, id);
CREATE INDEX notifications_of_event ON notifications (event_id);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  secret TEXT NOT NULL,
  staged_secret TEXT,
  staged_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_of_account ON webhooks (account_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE webhook_events (
  account_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, event_type, webhook_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_events_of_webhook ON webhook_events (webhook_id);

-- One for each endpoint.
CREATE TABLE queues (
  webhook_id TEXT PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  -- Pending deliveries, including leased ones.
  depth INTEGER NOT NULL,
  in_flight INTEGER NOT NULL,
  paused INTEGER NOT NULL,
  concurrency_limit INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  failed_at INTEGER NOT NULL,
  backoff_until INTEGER NOT NULL,
  -- How the last attempt ended.
  last_status INTEGER,
  last_error TEXT,
  -- When the first attempt failed since the last success; 0 if none did.
  failing_since INTEGER NOT NULL,
  -- When a worker should poll it next; null while nothing may be leased.
  next_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX queues_next ON queues (next_at) WHERE next_at IS NOT NULL;

-- With integer row IDs, so that an index of a million deliveries stays small.
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id),
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  event_type TEXT NOT NULL,
  test INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- Attempts since it was queued or replayed.
  tries INTEGER NOT NULL,
  -- When the next attempt is due; null once it is final and while it is leased.
  due_at INTEGER,
  -- When due_at was decided: at the end of the last attempt, or when the delivery was queued.
  scheduled_at INTEGER,
  deadline_at INTEGER NOT NULL,
  lease_token TEXT,
  lease_until INTEGER,
  -- Whether the lease counts towards the concurrency limit: not after another worker has started.
  lease_counts INTEGER NOT NULL DEFAULT 0,
  last_status INTEGER,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- To which trace its attempts belong: traceparent, and tracestate after a space.
  trace_context TEXT
) STRICT;
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX deliveries_by_deadline ON deliveries (deadline_at) WHERE state = 'pending';
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, state, created_at, id);
CREATE INDEX deliveries_of_event ON deliveries (event_id);

CREATE TABLE attempts (
  delivery_seq INTEGER NOT NULL REFERENCES deliveries (seq) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  url TEXT NOT NULL,
  -- JSON.
  headers TEXT NOT NULL,
  status INTEGER,
  error TEXT,
  response_snippet TEXT NOT NULL,
  PRIMARY KEY (delivery_seq, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  -- JSON, encrypted if it shows a webhook. Empty after it was erased together with that webhook.
  response TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The webhook that the response shows, so that it can be erased with it.
  webhook_id TEXT,
  PRIMARY KEY (account_id, operation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_of_webhook ON idempotency_keys (webhook_id)
  WHERE webhook_id IS NOT NULL;
`;
