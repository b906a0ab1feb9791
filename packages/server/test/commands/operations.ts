import { expect, test } from 'vitest';
import { getOperator } from '../../src/commands/operator';
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
}
