/** The first schema. Times are in milliseconds since 1970, booleans are 0 and 1. */
export const initial = `
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
  hint TEXT NOT NULL,
  read_only INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_of_account ON api_keys (account_id);

CREATE TABLE listings (
  id TEXT PRIMARY KEY,
  seller_id TEXT NOT NULL REFERENCES accounts (id),
  agent_id TEXT REFERENCES accounts (id),
  available_quantity INTEGER NOT NULL CHECK (available_quantity >= 0),
  low_threshold INTEGER,
  low_told INTEGER NOT NULL,
  created_at INTEGER NOT NULL
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
-- One pair for each kind of account: its newest orders, and its newest orders with a status.
CREATE INDEX orders_of_buyer ON orders (buyer_id, created_at, id);
CREATE INDEX orders_of_buyer_by_status ON orders (buyer_id, status, created_at, id);
CREATE INDEX orders_of_seller ON orders (seller_id, created_at, id);
CREATE INDEX orders_of_seller_by_status ON orders (seller_id, status, created_at, id);
CREATE INDEX orders_of_agent ON orders (agent_id, created_at, id) WHERE agent_id IS NOT NULL;
CREATE INDEX orders_of_agent_by_status ON orders (agent_id, status, created_at, id)
  WHERE agent_id IS NOT NULL;

CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL UNIQUE REFERENCES orders (id),
  agent_id TEXT NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  order_id TEXT REFERENCES orders (id),
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
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

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_of_account ON webhooks (account_id);

CREATE TABLE webhook_events (
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, kind, webhook_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL REFERENCES events (id),
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- When it is due: the time of the next attempt, or the end of the lease while one is in flight.
  due_at INTEGER,
  deadline_at INTEGER NOT NULL,
  lease_token TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE attempts (
  delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  excerpt TEXT NOT NULL,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, operation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
`;
