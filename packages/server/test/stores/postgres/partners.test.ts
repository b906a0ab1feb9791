import { anOrderRecord } from '@tradepost/domain/test/builders';
import { expect, test } from 'vitest';
import type { Transaction } from '../../../src/stores/postgres/database';
import { addPartners } from '../../../src/stores/postgres/partners';
import { WriteSet } from '../../../src/stores/postgres/write-set';

/** A connection that leads to a timeline of the database. */
interface Connection {
  timeline: string | null;
}

const aConnection = (): Connection => ({ timeline: '7712859104579132062/00000001' });

/** A transaction that does nothing but take what is sent. */
function aTransaction(connection: Connection) {
  const sent: unknown[][] = [];
  const send = (_sql: string, ...values: unknown[]) => sent.push(values);
  const { timeline } = connection;
  return { tx: { connection, timeline, send } as unknown as Transaction, sent };
}

/** Returns the rows that orders add in a transaction, and a function that commits it. */
function add(connection: Connection, ...orders: Parameters<typeof addPartners>[2]) {
  const { tx, sent } = aTransaction(connection);
  const writes = new WriteSet();
  const commit = addPartners(tx, writes, orders);
  writes.send(tx);
  const rows = sent.flatMap((values) => JSON.parse(String(values[0])) as Record<string, string>[]);
  return { pairs: rows.map(({ accountId, partnerId }) => `${accountId} ${partnerId}`), commit };
}

const parties = { buyerId: 'usr_b', sellerId: 'usr_s', agentId: null };

test('orders add the pairs of their accounts once, sorted', () => {
  const orders = [anOrderRecord(parties), anOrderRecord(parties)];
  const other = anOrderRecord({ buyerId: 'usr_a', sellerId: 'usr_s', agentId: 'usr_c' });
  expect(add(aConnection(), ...orders, other).pairs).toEqual([
    'usr_a usr_c',
    'usr_a usr_s',
    'usr_b usr_s',
    'usr_c usr_a',
    'usr_c usr_s',
    'usr_s usr_a',
    'usr_s usr_b',
    'usr_s usr_c',
  ]);
});

test('an order of the same accounts adds nothing after a commit on the same connection', () => {
  const connection = aConnection();
  const first = add(connection, anOrderRecord(parties));
  expect(add(connection, anOrderRecord(parties)).pairs).toEqual(first.pairs);
  first.commit();
  expect(add(connection, anOrderRecord(parties)).pairs).toEqual([]);
  expect(add(aConnection(), anOrderRecord(parties)).pairs).toEqual(first.pairs);
});

test('what was committed is forgotten when the connection leads to another timeline, as after a failover behind a pooler', () => {
  const connection = aConnection();
  add(connection, anOrderRecord(parties)).commit();
  const { timeline } = connection;
  connection.timeline = '7712859104579132062/00000002';
  expect(add(connection, anOrderRecord(parties)).pairs).toHaveLength(2);
  connection.timeline = timeline;
  expect(add(connection, anOrderRecord(parties)).pairs).toHaveLength(2);
});

test('nothing is remembered where the timeline is unknown', () => {
  const connection: Connection = { timeline: null };
  add(connection, anOrderRecord(parties)).commit();
  expect(add(connection, anOrderRecord(parties)).pairs).toHaveLength(2);
});

test('only so many accounts are remembered', () => {
  const connection = aConnection();
  add(connection, anOrderRecord(parties)).commit();
  const others = Array.from({ length: 2_001 }, (_, at) =>
    anOrderRecord({ ...parties, buyerId: `usr_${at}` }),
  );
  add(connection, ...others).commit();
  add(connection, anOrderRecord({ ...parties, sellerId: 'usr_t' })).commit();
  expect(add(connection, anOrderRecord(parties)).pairs).toHaveLength(2);
});
