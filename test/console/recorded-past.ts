import Database from 'better-sqlite3';

/** An event of an order as a party of it may see it, from the tables alone. */
interface RecordedEvent {
  id: string;
  type: string;
  body: { data: { previousStatus?: string; status?: string; reason?: string } };
  createdAt: string;
  actorId: string | null;
  actorKind: string | null;
  /** Whether the own notification was read; null if there is none. */
  read: boolean | null;
  deliveries: RecordedDelivery[];
}

/** A delivery with its attempts. */
interface RecordedDelivery {
  id: string;
  webhookId: string;
  state: string;
  attempts: {
    status: number | null;
    error: string | null;
    startedAt: string;
    durationMs: number;
  }[];
}

const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();

/** Reads the SQLite file of a running server: what happened to an order, with what is of one account. */
export function readPast(file: string, accountId: string, orderId: string): RecordedEvent[] {
  const connection = new Database(file, { readonly: true });
  const all = <Row>(sql: string, ...values: string[]) =>
    connection.prepare<string[], Row>(sql).all(...values);
  try {
    return all<Record<string, string> & { created_at: number }>(
      `SELECT events.* FROM events JOIN account_events ON account_events.event_id = events.id
       WHERE order_id = ? AND account_id = ? ORDER BY account_events.seq`,
      orderId,
      accountId,
    ).map((event) => {
      const id = event.id ?? '';
      const [notification] = all<{ read: number }>(
        'SELECT read FROM notifications WHERE event_id = ? AND account_id = ?',
        id,
        accountId,
      );
      return {
        id,
        type: event.event_type ?? '',
        body: JSON.parse(event.body ?? ''),
        createdAt: toTime(event.created_at),
        actorId: event.actor_id ?? null,
        actorKind: event.actor_kind ?? null,
        read: notification === undefined ? null : notification.read === 1,
        deliveries: all<{ id: string; seq: string; webhook_id: string; state: string }>(
          `SELECT * FROM deliveries WHERE event_id = ?
             AND webhook_id IN (SELECT id FROM webhooks WHERE account_id = ?) ORDER BY id`,
          id,
          accountId,
        ).map(({ seq, webhook_id: webhookId, state, ...delivery }) => ({
          id: delivery.id,
          webhookId,
          state,
          attempts: all<{
            status: number | null;
            error: string | null;
            started_at: number;
            duration_ms: number;
          }>('SELECT * FROM attempts WHERE delivery_seq = ? ORDER BY number', seq).map(
            ({ status, error, started_at: startedAt, duration_ms: durationMs }) => ({
              status,
              error,
              startedAt: toTime(startedAt),
              durationMs,
            }),
          ),
        })),
      };
    });
  } finally {
    connection.close();
  }
}

/** Reads one column of the rows of an account, sorted. */
export function readColumn(file: string, sql: string, accountId: string): string[] {
  const connection = new Database(file, { readonly: true });
  try {
    return connection.prepare<[string], string>(sql).pluck().all(accountId).sort();
  } finally {
    connection.close();
  }
}
