import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { erasedParts } from '@tradepost/domain/accounts/erasure';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { eraseAccount } from '../../src/commands/erase-account';
import { exportAccount, toExportLine } from '../../src/commands/export-account';
import { getOperator } from '../../src/commands/operator';
import { parseIntegerOrDefault } from '../../src/commands/options';
import { createProgram } from '../../src/commands/program';
import { openStore } from '../../src/stores/open-store';
import { aKey } from '../helpers/a-key';
import { fillStore } from '../helpers/fill-store';
import { aResult, leaseDue } from '../helpers/leasing';
import { makeTempFolder } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';
import { runCommand, runJson } from './run-command';

interface Entry {
  actor: { type: string; id: string };
  action: string;
  subject: { id: string };
  accountId: string | null;
  details: Record<string, unknown>;
}

/**
 * Tests the commands for operators on a database.
 *
 * @param createDatabase Creates an empty one, and returns its path or URL.
 */
export function describeOperations(createDatabase: () => Promise<string>): void {
  /** Runs the checks of `tradepost-server check`. */
  const check = async (database: string) => {
    const { checks } = await runJson<{ checks: { name: string; result: string }[] }>(
      database,
      'check',
    );
    return checks;
  };

  async function open() {
    const database = await createDatabase();
    const create = (kind: string) =>
      runJson<{ id: string; apiKey: string }>(database, 'accounts', 'create', '--kind', kind);
    return { database, create };
  }

  test('the audit log has what operators did, and no key', async () => {
    const { database, create } = await open();
    const { id, apiKey } = await create('seller');
    const other = await create('buyer');
    const key = await runJson<{ id: string }>(database, 'keys', 'create', '--account', id);
    await runCommand(database, 'keys', 'revoke', key.id);
    await runCommand(database, 'keys', 'revoke', key.id);
    const listing = ['--seller', id, '--quantity', '5'];
    const { id: listingId } = await runJson<{ id: string }>(
      database,
      ...['listings', 'create', ...listing],
    );
    await runCommand(database, 'listings', 'update', listingId, '--add', '2');
    await runCommand(database, 'accounts', 'suspend', id, '--reason', 'unpaid');
    await runCommand(database, 'accounts', 'suspend', id);
    await runCommand(database, 'accounts', 'resume', id);
    await runCommand(database, 'accounts', 'resume', id);
    const entries = await runJson<Entry[]>(database, 'audit', '--account', id);
    expect(entries.map(({ action, subject }) => [action, subject.id]).reverse()).toEqual([
      ['account.created', id],
      ['key.created', expect.stringMatching(/^key_/)],
      ['key.created', key.id],
      ['key.revoked', key.id],
      ['listing.created', listingId],
      ['listing.updated', listingId],
      ['account.suspended', id],
      ['account.resumed', id],
    ]);
    for (const { actor, accountId } of entries) {
      expect([actor, accountId]).toEqual([getOperator(), id]);
    }
    expect(entries[1]?.details).toEqual({ reason: 'unpaid' });
    expect(JSON.stringify(entries)).not.toContain(apiKey);
    const newest = await runJson<Entry[]>(database, 'audit', '--limit', '1', '--since', '1h');
    expect(newest).toEqual(entries.slice(0, 1));
    expect(await runJson(database, 'audit', '--since', '2999-01-01T00:00:00Z')).toEqual([]);
    const { stdout } = await runCommand(database, 'audit', '--account', other.id);
    expect(stdout).toContain('action     account.created\n');
    expect(stdout).toContain(`actor      ${getOperator().id}\n`);
    const args = ['audit', '--account', id, '--limit', '7', '--json'];
    const first = await runCommand(database, ...args);
    const cursor = /--cursor (\S+)/.exec(first.stderr)?.[1] ?? '';
    const second = await runCommand(database, ...args, '--cursor', cursor);
    expect(second.stderr).toBe('');
    expect([...JSON.parse(first.stdout), ...JSON.parse(second.stdout)]).toEqual(entries);
    await expect(runCommand(database, 'audit', '--account', 'usr_1')).rejects.toThrow(
      'Account usr_1 does not exist in',
    );
  });

  test('a suspended account is shown as such, with the reason', async () => {
    const { database, create } = await open();
    const { id } = await create('buyer');
    const active = { state: 'active', suspendedAt: null, suspensionReason: null };
    expect(await runJson(database, 'accounts', 'show', id)).toMatchObject({
      ...active,
      ...{ id, kind: 'buyer', keys: 1, webhooks: 0, pendingDeliveries: 0 },
    });
    const suspended = { state: 'suspended', suspensionReason: 'unpaid' };
    const suspend = ['accounts', 'suspend', id];
    expect(await runJson(database, ...suspend, '--reason', 'unpaid')).toMatchObject(suspended);
    expect(await runJson(database, ...suspend)).toMatchObject(suspended);
    expect(await runJson(database, 'accounts', 'list')).toMatchObject([{ id, ...suspended }]);
    expect(await runJson(database, 'accounts', 'resume', id)).toMatchObject(active);
    expect(await runJson(database, 'accounts', 'list')).toMatchObject([{ id, ...active }]);
    for (const command of ['show', 'suspend', 'resume']) {
      await expect(runCommand(database, 'accounts', command, 'usr_unknown')).rejects.toThrow(
        'Account usr_unknown does not exist in',
      );
    }
  });

  test('accounts are shown with how many of their keys and sessions can be used', async () => {
    const { database, create } = await open();
    const { id: accountId } = await create('seller');
    const { id: other } = await create('buyer');
    const key = () => runJson<{ id: string }>(database, 'keys', 'create', '--account', accountId);
    const [used, revoked] = [await key(), await key()];
    const store = await openStore(database, {});
    onTestFinished(() => store.close());
    const session = { accountId, isSession: true, expiresAt: Date.now() + 3_600_000 };
    for (const record of [
      { ...session, parentId: used.id },
      // It ends with its key.
      { ...session, parentId: revoked.id },
      { ...session, parentId: used.id, expiresAt: noon },
      { accountId, expiresAt: noon },
    ])
      await store.accounts.addKey(aKey(record).record);
    await runCommand(database, 'keys', 'revoke', revoked.id);
    expect(await runJson(database, 'accounts', 'list')).toMatchObject([
      { id: other, keys: 1, sessions: 0 },
      { id: accountId, keys: 2, sessions: 1 },
    ]);
    expect(await runJson(database, 'accounts', 'show', accountId)).toMatchObject({
      keys: 2,
      sessions: 1,
    });
    await runCommand(database, 'accounts', 'suspend', other);
    await runCommand(database, 'accounts', 'erase', other, '--yes');
    const { stdout } = await runCommand(database, 'accounts', 'list');
    expect(stdout.match(/^(keys|sessions) .*/gm)?.map((line) => line.replace(/ +/, ' '))).toEqual([
      ...['keys 0', 'sessions 0', 'keys 2', 'sessions 1'],
    ]);
  });

  test('limits of an account are shown with what is used, changed and reset, each with an entry of the audit log', async () => {
    const { database, create } = await open();
    const { id } = await create('buyer');
    const limits = ['accounts', 'limits', id];
    const defaults = { requestsPerMinute: null, maxWebhooks: null, maxOpenDeliveries: null };
    const used = { id, webhooks: 0, openDeliveries: 0 };
    expect(await runJson(database, ...limits)).toEqual({ ...used, ...defaults });
    const first = ['--requests-per-minute', '60', '--webhooks', '50'];
    const set = { ...used, ...defaults, requestsPerMinute: 60, maxWebhooks: 50 };
    expect(await runJson(database, ...limits, ...first)).toEqual(set);
    // The same again changes nothing.
    await runCommand(database, ...limits, ...first);
    const second = ['--requests-per-minute', 'default', '--open-deliveries', '1000'];
    const { stdout } = await runCommand(database, ...limits, ...second);
    expect(stdout).toContain('requestsPerMinute  default\nmaxWebhooks        50\n');
    for (const args of [['show', id], ['list']]) {
      const { stdout: account } = await runCommand(database, 'accounts', ...args);
      expect(account).toMatch(/^requestsPerMinute +default\nmaxWebhooks +50\n/m);
      expect(account).toMatch(/^keepDeliveries +default$/m);
    }
    expect(await runJson(database, 'accounts', 'show', id)).toMatchObject({
      ...{ requestsPerMinute: null, maxWebhooks: 50, maxOpenDeliveries: 1_000 },
    });
    const entries = await runJson<Entry[]>(database, 'audit', '--account', id);
    const changes = entries.filter(({ action }) => action === 'account.limits_changed');
    expect(changes.map(({ details }) => details)).toEqual([
      {
        requestsPerMinute: { from: 60, to: null },
        maxOpenDeliveries: { from: null, to: 1_000 },
      },
      { requestsPerMinute: { from: null, to: 60 }, maxWebhooks: { from: null, to: 50 } },
    ]);
    expect(() => parseIntegerOrDefault(0, 1_000)('many')).toThrow(
      'It must be an integer from 0 to 1000, or default.',
    );
    await expect(runCommand(database, 'accounts', 'limits', 'usr_1')).rejects.toThrow(
      'Account usr_1 does not exist in',
    );
    expect((await check(database)).filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test('retention of an account is shown, changed and reset, each with an entry of the audit log', async () => {
    const { database, create } = await open();
    const { id } = await create('buyer');
    const retention = ['accounts', 'retention', id];
    const defaults = {
      keepDeliveries: null,
      keepNotifications: null,
      keepUnreadNotifications: null,
    };
    expect(await runJson(database, ...retention)).toEqual({ id, ...defaults });
    const first = ['--deliveries', '2', '--notifications', '7', '--unread-notifications', '14'];
    const set = { keepDeliveries: 2, keepNotifications: 7, keepUnreadNotifications: 14 };
    expect(await runJson(database, ...retention, ...first)).toEqual({ id, ...set });
    // The same again changes nothing.
    await runCommand(database, ...retention, ...first);
    expect(await runJson(database, 'accounts', 'show', id)).toMatchObject(set);
    const output = await runCommand(database, 'accounts', 'export', id);
    expect(JSON.parse(output.stdout.split('\n')[0] ?? '')).toMatchObject({ data: set });

    const refusal = 'Keep read ones for 14 days at most, or reset the time of unread ones';
    for (const time of ['15', 'default']) {
      const refused = runCommand(database, ...retention, '--notifications', time);
      await expect(refused).rejects.toThrow(refusal);
    }
    const second = ['--notifications', 'default', '--unread-notifications', 'default'];
    const { stdout } = await runCommand(database, ...retention, ...second);
    expect(stdout).toContain('keepDeliveries           2\nkeepNotifications        default\n');
    const entries = await runJson<Entry[]>(database, 'audit', '--account', id);
    const changes = entries.filter(({ action }) => action === 'account.retention_changed');
    expect(changes.map(({ details }) => details)).toEqual([
      { keepNotifications: { from: 7, to: null }, keepUnreadNotifications: { from: 14, to: null } },
      {
        keepDeliveries: { from: null, to: 2 },
        keepNotifications: { from: null, to: 7 },
        keepUnreadNotifications: { from: null, to: 14 },
      },
    ]);
    await expect(runCommand(database, 'accounts', 'retention', 'usr_1')).rejects.toThrow(
      'Account usr_1 does not exist in',
    );
    expect((await check(database)).filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  /** Fills a database with a buyer and a seller, each with a webhook and deliveries. */
  async function openTrade() {
    const database = await createDatabase();
    const store = await openStore(database, {});
    onTestFinished(() => store.close());
    const trade = await Trade.open(store);
    const own = await trade.subscribe(trade.buyer, ['order.created', 'order.status_changed']);
    const other = await trade.subscribe(trade.seller, ['order.created']);
    const orders = [await trade.place(), await trade.place({ now: noon + 1 })] as const;
    return { database, store, trade, own, other, orders };
  }

  interface Listed {
    id: string;
    accountId: string;
    webhookId: string;
    orderId: string;
    state: string;
  }

  test('deliveries of all accounts are listed by filters and page by page', async () => {
    const { database, trade, own, other, orders } = await openTrade();
    const list = (...args: string[]) => runJson<Listed[]>(database, 'deliveries', 'list', ...args);
    const all = await list();
    expect(all.map(({ orderId }) => orderId)).toEqual(
      [orders[1], orders[1], orders[0], orders[0]].map(({ id }) => id),
    );
    expect(new Set(all.map(({ accountId }) => accountId))).toEqual(
      new Set([trade.buyer.accountId, trade.seller.accountId]),
    );
    const pick = (filter: (one: Listed) => boolean) => all.filter(filter);
    expect(await list('--webhook', own.id)).toEqual(pick((one) => one.webhookId === own.id));
    expect(await list('--account', trade.seller.accountId)).toEqual(
      pick((one) => one.webhookId === other.id),
    );
    expect(await list('--order', orders[0].id)).toEqual(
      pick((one) => one.orderId === orders[0].id),
    );
    expect(await list('--state', 'failed')).toEqual([]);
    expect(await list('--type', 'order.status_changed')).toEqual([]);
    expect(await list('--status-class', 'none')).toEqual([]);
    // Nothing sends them, so all are stuck, except those of a paused webhook.
    expect(await list('--stuck')).toEqual(all);
    await expect(list('--account', 'usr_unknown')).rejects.toThrow('See accounts list.');
    await expect(list('--webhook', 'whk_unknown')).rejects.toThrow('See webhooks list.');
    const paged: Listed[] = [];
    const args = ['deliveries', 'list', '--limit', '3', '--json'];
    const first = await runCommand(database, ...args);
    paged.push(...(JSON.parse(first.stdout) as Listed[]));
    const cursor = /--cursor (\S+)/.exec(first.stderr)?.[1] ?? '';
    const second = await runCommand(database, ...args, '--cursor', cursor);
    expect(second.stderr).toBe('');
    paged.push(...(JSON.parse(second.stdout) as Listed[]));
    expect(paged).toEqual(all);
    await runCommand(database, 'webhooks', 'pause', own.id);
    expect((await list('--stuck')).map(({ id }) => id)).toEqual(
      pick((one) => one.webhookId === other.id).map(({ id }) => id),
    );
    await expect(list('--cursor', 'x')).rejects.toThrow('--cursor is not valid.');
    const period = ['--since', '2026-01-02T00:00:00Z', '--until', '2026-01-01T00:00:00Z'];
    await expect(list(...period)).rejects.toThrow('--since must not be later than --until.');
    await expect(list('--stuck', '--state', 'failed')).rejects.toThrow('Leave out --state.');
  });

  test('a delivery is shown with its attempts, and replayed', async () => {
    const { database, store, trade, own } = await openTrade();
    const leased = await leaseDue(store, noon + 1);
    const delivery = leased.find(({ webhookId }) => webhookId === own.id);
    if (delivery === undefined) throw new Error('there is a delivery');
    const attempt = anAttempt({
      ...{ startedAt: noon + 1, durationMs: 5, status: 200 },
      responseSnippet: `ok\n  ${'x'.repeat(60)}`,
    });
    await store.deliveries.recordAttempts([aResult(delivery, { attempt })], noon + 6);
    const { accountId } = trade.buyer;
    const shown = await runJson(database, 'deliveries', 'show', delivery.id);
    const state = { id: delivery.id, accountId, state: 'delivered' };
    expect(shown).toMatchObject({ ...state, body: delivery.body, attempts: [{ number: 1 }] });
    const { stdout } = await runCommand(database, 'deliveries', 'show', delivery.id);
    expect(stdout).toContain(`\nbody           ${delivery.body}\n\n`);
    const [heading = '', line = '', ...rest] = stdout.split('\n\n')[1]?.split('\n') ?? [];
    expect(rest).toEqual(['']);
    expect(heading.split(/ {2,}/)).toEqual([
      'attempt',
      'startedAt',
      'duration',
      'result',
      'response',
    ]);
    expect(line.split(/ {2,}/)).toEqual([
      ...['1', new Date(noon + 1).toISOString(), '5 ms', '200', `ok ${'x'.repeat(57)}…`],
    ]);
    const replayed = await runJson(database, 'deliveries', 'replay', delivery.id);
    expect(replayed).toMatchObject([{ ...state, state: 'pending' }]);
    expect(await runJson(database, 'audit', '--account', accountId)).toMatchObject([
      { action: 'deliveries.replayed', subject: { type: 'deliveries', id: delivery.id } },
    ]);
    const busy = leased.find(({ id }) => id !== delivery.id)?.id ?? '';
    await expect(runCommand(database, 'deliveries', 'replay', busy)).rejects.toThrow('in flight');
    for (const command of ['show', 'replay'])
      await expect(runCommand(database, 'deliveries', command, 'dlv_1')).rejects.toThrow(
        'Delivery dlv_1 does not exist in',
      );
  });

  test('a webhook of any account is shown, paused, resumed and deleted, without its secret', async () => {
    const { database, store, trade, own } = await openTrade();
    const { accountId } = trade.buyer;
    const onWebhook = (command: string, ...args: string[]) =>
      runJson(database, 'webhooks', command, own.id, ...args);
    const shown = { id: own.id, accountId, status: 'active', pendingDeliveries: 2 };
    expect(await onWebhook('show')).toMatchObject(shown);
    expect(JSON.stringify(await onWebhook('show'))).not.toContain(own.secret);
    expect(await onWebhook('pause')).toMatchObject({ ...shown, status: 'paused' });
    await runCommand(database, 'accounts', 'suspend', accountId);
    const resumed = await runCommand(database, 'webhooks', 'resume', own.id);
    expect(resumed.stderr).toContain(`because account ${accountId} is suspended`);
    await expect(onWebhook('delete')).rejects.toThrow('Pass --yes to do it.');
    expect(await store.webhooks.findOwner(own.id)).toBe(accountId);
    expect(await onWebhook('delete', '--yes')).toEqual({ id: own.id, accountId, deleted: true });
    for (const command of ['show', 'pause', 'resume'])
      await expect(onWebhook(command)).rejects.toThrow(`Webhook ${own.id} does not exist in`);
    const entries = await runJson<Entry[]>(database, 'audit', '--account', accountId);
    expect(entries.map(({ action }) => action)).toEqual([
      'webhook.deleted',
      'webhook.resumed',
      'account.suspended',
      'webhook.paused',
    ]);
  });

  /** Suspends the buyer of a trade that has all kinds of data, and returns its account with its key. */
  async function openFilled() {
    const database = await createDatabase();
    const store = await openStore(database, {});
    onTestFinished(() => store.close());
    const trade = await fillStore(store);
    const { accountId } = trade.buyer;
    const [key] = await store.accounts.listKeys(accountId);
    if (key === undefined) throw new Error('there is a key');
    return { database, store, trade, accountId, key };
  }

  test('everything about an account is exported without secrets, to stdout or to a file', async () => {
    const { database, store, accountId, key } = await openFilled();
    const exportTo = (...args: string[]) =>
      runCommand(database, 'accounts', 'export', accountId, ...args);
    const { stdout, stderr } = await exportTo();
    const items = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: { id: string } });
    const counts: Record<string, number> = {};
    for (const { type } of items) counts[type] = (counts[type] ?? 0) + 1;
    const page = { after: null, limit: 100 };
    expect(counts).toEqual({
      ...{ account: 1, key: 1, partner: 2, order: 5, webhook: 1, auditEntry: 2 },
      event: (await store.events.readEvents(accountId, 0, 100)).length,
      notification: (await store.notifications.listNotifications(accountId, {}, page)).length,
      delivery: (await store.deliveryLog.listDeliveries(accountId, {}, page)).length,
    });
    const account = await store.accounts.findAccount(accountId);
    if (account === null) throw new Error('there is an account');
    const again: string[] = [];
    for await (const item of exportAccount(store, account, {}, 2)) again.push(toExportLine(item));
    expect(again.slice(1).join('')).toBe(stdout.slice(stdout.indexOf('\n') + 1));
    expect(stderr).toBe(`${items.length} items exported.\n`);
    const [webhook] = await store.webhooks.listAllWebhooks(accountId);
    for (const secret of [webhook?.secret ?? '', key.hash]) expect(stdout).not.toContain(secret);
    // Only what the account itself may see.
    for (const { data } of items.filter(({ type }) => type === 'webhook'))
      expect(data.id).toBe(webhook?.id);
    const file = join(makeTempFolder().path, 'export.jsonl');
    await exportTo('--output', file);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(items.length + 1);
    expect(existsSync(`${file}.part`)).toBe(false);
    await expect(exportTo('--output', file)).rejects.toThrow('Pass --force to replace it');
    await exportTo('--output', file, '--force');
  });

  test('an export ends without an error when the reader of its output does', async () => {
    const { database, accountId } = await openFilled();
    const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(closed) });
    const written: string[] = [];
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        done();
      },
    });
    const command = ['accounts', 'export', accountId, '--database', database];
    await createProgram({ stdout, stderr }).parseAsync(['node', 'tradepost-server', ...command]);
    expect(written).toEqual([]);
  });

  test('a suspended account is erased: its orders stay without its name, nothing dangles, and a check passes', async () => {
    const { database, store, trade, accountId, key } = await openFilled();
    const erase = ['accounts', 'erase', accountId];
    await expect(runCommand(database, ...erase)).rejects.toThrow('Pass --yes to do it.');
    await expect(runCommand(database, ...erase, '--yes')).rejects.toThrow('is not suspended');
    expect(await store.accounts.findKeyByHash(key.hash)).not.toBeNull();
    await runCommand(database, 'accounts', 'suspend', accountId, '--reason', 'asked for it');
    const page = { after: null, limit: 100 };
    const ended = AbortSignal.abort(new Error('interrupted'));
    await expect(eraseAccount(store, accountId, ended)).rejects.toThrow('interrupted');
    const count = async () =>
      (await store.notifications.listNotifications(accountId, {}, page)).length;
    const logged = (await store.events.readEvents(accountId, 0, 100)).length;
    expect(await count()).toBeGreaterThan(3);
    await expect(runCommand(database, 'accounts', 'resume', accountId)).rejects.toThrow(
      'was erased, which cannot be undone',
    );
    // As much as a process did that was killed.
    expect(await store.erasure.erase(accountId, 'notifications', 3)).toBe(3);
    expect(await store.erasure.erase(accountId, 'eventLogEntries', 5)).toBe(5);
    const left = { notifications: await count(), eventLogEntries: logged - 5 };
    expect(await runJson(database, ...erase, '--yes')).toMatchObject({
      ...{ id: accountId, ...left, apiKeys: 1 },
    });
    expect(await runJson(database, ...erase, '--yes')).toMatchObject({ notifications: 0 });

    expect(await store.accounts.findAccount(accountId)).toMatchObject({
      ...{ name: 'Erased account', suspensionReason: null },
      erasedAt: expect.any(Number),
    });
    expect(await store.accounts.findKeyByHash(key.hash)).toBeNull();
    expect(await store.webhooks.listAllWebhooks(accountId)).toEqual([]);
    expect(await store.notifications.listNotifications(accountId, {}, page)).toEqual([]);
    expect(await store.events.readEvents(accountId, 0, 100)).toEqual([]);
    expect(await store.deliveryLog.listDeliveries(accountId, {}, page)).toEqual([]);
    // The other party has everything, without the name.
    const { seller } = trade;
    const orders = await store.orders.listOrders(seller, {}, page);
    expect(orders.map(({ buyerId }) => buyerId)).toEqual(orders.map(() => accountId));
    expect(orders).toHaveLength(5);
    expect(await store.events.readEvents(seller.accountId, 0, 100)).not.toEqual([]);
    const partners = await store.partners.listPartners(seller.accountId, undefined, page);
    expect(partners.find(({ id }) => id === accountId)?.name).toBe('Erased account');
    const entries = await runJson<Entry[]>(database, 'audit', '--account', accountId);
    expect(entries[0]).toMatchObject({ action: 'account.erased', subject: { id: accountId } });
    await expect(runCommand(database, 'keys', 'create', '--account', accountId)).rejects.toThrow(
      'was erased, which cannot be undone',
    );
    expect(await store.accounts.listKeys(accountId)).toEqual([]);
    expect((await check(database)).filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test('two steps of an erasure at once take different rows', async () => {
    const { store, accountId } = await openFilled();
    const page = { after: null, limit: 100 };
    const left = {
      notifications: (await store.notifications.listNotifications(accountId, {}, page)).length,
      eventLogEntries: (await store.events.readEvents(accountId, 0, 100)).length,
    };
    for (const part of ['notifications', 'eventLogEntries'] as const) {
      const erase = () => store.erasure.erase(accountId, part, Math.ceil(left[part] / 2));
      const [one, other] = await Promise.all([erase(), erase()]);
      // A step that found fewer would be taken for the last one.
      expect(one + other).toBe(left[part]);
    }
  });

  test('an erasure ends, although other parties write for the account all the time', async () => {
    const { database, store, trade } = await openFilled();
    const { accountId } = trade.agent;
    await runCommand(database, 'accounts', 'suspend', accountId);
    let steps = 0;
    const erase: typeof store.erasure.erase = async (...request) => {
      steps += 1;
      // Each of them is an event of the agent. The limit is there so that this ends, whatever the command does.
      if (steps < 50) await trade.move(await trade.place({ quantity: 1 }), 'cancelled');
      return await store.erasure.erase(...request);
    };
    const watched = { ...store, erasure: { erase } };
    await eraseAccount(watched, accountId, new AbortController().signal);
    expect(steps).toBe(erasedParts.length);
    expect((await check(database)).filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test('listings of an erased seller keep their orders, and have no units and no title', async () => {
    const { database, store, trade } = await openFilled();
    const { accountId } = trade.seller;
    await runCommand(database, 'accounts', 'suspend', accountId);
    await runCommand(database, 'accounts', 'erase', accountId, '--yes');
    expect(await store.listings.findListing(trade.listing.id)).toMatchObject({
      ...{ title: null, availableQuantity: 0, lowThreshold: null },
    });
    await expect(trade.place()).rejects.toThrow('has 0 units left');
    expect((await check(database)).filter(({ result }) => result !== 'ok')).toEqual([]);
  });
}
