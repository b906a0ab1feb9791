import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { forTest } from '../helpers/for-test';
import { tradepostServerBin } from '../helpers/programs';
import { registerWebhook } from '../helpers/register-webhook';
import { runOperator, runServerCommand } from '../helpers/run-server-command';
import { seedDatabase } from '../helpers/seed';
import { type Exit, runProcess } from '../helpers/start-process';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

let database: string;

beforeEach(async () => {
  const folder = await temporaryFolder();
  database = join(folder.path, 'tradepost.db');
  return () => folder.remove();
});

/** Runs a command on the database of the test. */
const operate = (...args: string[]): Promise<Exit> =>
  runOperator([...args, '--database', database]);

async function startSeeded(): Promise<SeededServer> {
  return await forTest(startSeededServer());
}

async function createAccount(kind: string) {
  const args = ['accounts', 'create', '--kind', kind, '--name', `A ${kind}`];
  return await runServerCommand<{ id: string; kind: string; apiKey: string }>(args, database);
}

/** Creates a database that looks like one of the previous version, without a write-ahead log. */
async function createOlderDatabase(): Promise<{ older: Buffer; newest: number }> {
  await createAccount('buyer');
  const connection = new Database(database);
  const newest = Number(connection.pragma('user_version', { simple: true }));
  connection.pragma('journal_mode = DELETE');
  connection.pragma(`user_version = ${newest - 1}`);
  connection.close();
  return { older: readFileSync(database), newest };
}

describe('tradepost-server', () => {
  it('creates accounts and a listing in a new database, so that an order can be created', async () => {
    const buyer = await createAccount('buyer');
    expect(buyer).toEqual({
      id: expect.stringMatching(/^usr_/),
      kind: 'buyer',
      apiKey: expect.stringMatching(/^tpk_[0-9A-Za-z]{38}$/),
    });
    const seller = await createAccount('seller');
    const agent = await createAccount('agent');
    const parties = ['--seller', seller.id, '--agent', agent.id];
    const amounts = ['--quantity', '100', '--low-threshold', '10'];
    const listing = await runServerCommand<{ id: string }>(
      ['listings', 'create', ...parties, ...amounts],
      database,
    );
    expect(listing).toEqual({ id: expect.stringMatching(/^lst_/) });

    const server = await forTest(startServerProcess(database));
    const tradepost = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
    const order = await tradepost.orders.create({ listingId: listing.id, quantity: 5 });
    expect(order).toMatchObject({ sellerId: seller.id, agentId: agent.id, status: 'pending' });
  });

  it('prints fields for people and JSON for scripts, and the warning on stderr', async () => {
    const people = await operate('accounts', 'create', '--kind', 'buyer');
    expect(people.stdout).toMatch(/^id {6}usr_\w+\nkind {4}buyer\napiKey {2}tpk_\w+\n$/);
    expect(people.stderr).toBe('The API key is shown only once. Store it in a safe place.\n');
    const scripts = await operate('seed', '--json');
    expect(scripts.stdout.trim().split('\n')).toHaveLength(1);
    expect(scripts.stderr).toBe('');
  });

  it('lists accounts, listings and webhooks without any secret', async () => {
    const { server, buyer, seller, seed } = await startSeeded();
    const webhook = await registerWebhook(
      new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey }),
      { url: 'https://receiver.example/tradepost', events: ['order.created'] },
    );
    const list = async (...args: string[]) => {
      const people = await runOperator([...args, '--database', server.database]);
      const items = await runServerCommand<Record<string, unknown>[]>(args, server.database);
      for (const { id } of items) expect(people.stdout).toContain(id);
      for (const secret of [webhook.secret, buyer.apiKey]) {
        expect(people.stdout + JSON.stringify(items)).not.toContain(secret);
      }
      return items;
    };
    const kinds = (await list('accounts', 'list')).map(({ kind }) => kind);
    expect(kinds).toEqual(['buyer', 'agent', 'seller', 'buyer']);
    const listings = await list('listings', 'list', '--seller', seller.id);
    expect(listings.map(({ id }) => id)).toEqual(seed.listings.map(({ id }) => id).reverse());
    expect(await list('listings', 'list', '--seller', buyer.id)).toEqual([]);
    const webhooks = await list('webhooks', 'list', '--account', buyer.id);
    expect(webhooks).toEqual([
      expect.objectContaining({ id: webhook.id, accountId: buyer.id, pendingDeliveries: 0 }),
    ]);
    expect(await list('webhooks', 'list', '--account', seller.id)).toEqual([]);
  }, 120_000);

  it('lists what a backup has, and does not change the backup', async () => {
    const seed = await seedDatabase(database);
    const backup = join(dirname(database), 'backup.db');
    await runServerCommand(['backup', backup], database);
    const before = readFileSync(backup);
    for (const [args, count] of [
      [['accounts', 'list'], seed.accounts.length],
      [['keys', 'list'], seed.accounts.length],
      [['listings', 'list'], seed.listings.length],
      [['webhooks', 'list'], 0],
    ] as const) {
      expect(await runServerCommand<unknown[]>([...args], backup)).toHaveLength(count);
      expect(readFileSync(backup).equals(before), args.join(' ')).toBe(true);
    }
    expect(readdirSync(dirname(database)).sort()).toEqual(['backup.db', 'tradepost.db']);
  });

  it('reports an empty list on stderr', async () => {
    await createAccount('buyer');
    const { code, stdout, stderr } = await operate('webhooks', 'list');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'No webhooks.\n' });
  });

  it('updates a listing while a server runs: the next order takes its units and its agent', async () => {
    const { server, buyer, agent, seed } = await startSeeded();
    const [, tea] = seed.listings;
    const id = tea?.id ?? '';
    const update = (...args: string[]) =>
      runServerCommand(['listings', 'update', id, ...args], server.database);
    expect(await update('--quantity', '7', '--agent', agent.id)).toMatchObject({
      id,
      availableQuantity: 7,
      agentId: agent.id,
    });
    expect(await update('--add', '3', '--no-low-threshold')).toMatchObject({
      availableQuantity: 10,
      lowThreshold: null,
    });
    const { orders } = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
    expect(await orders.create({ listingId: id, quantity: 10 })).toMatchObject({
      agentId: agent.id,
    });
    await expect(orders.create({ listingId: id, quantity: 1 })).rejects.toMatchObject({
      code: 'insufficient_quantity',
    });
  }, 120_000);

  it('seeds orders in every status', async () => {
    const seed = await runServerCommand<{ orders: { status: string }[] }>(['seed'], database);
    const states = new Set(seed.orders.map(({ status }) => status));
    expect([...states].sort()).toEqual(
      ['cancelled', 'completed', 'confirmed', 'fulfilling', 'pending'].sort(),
    );
  });

  it('reads its settings from the environment, and flags override them', async () => {
    const env = { TRADEPOST_DATABASE: database, PORT: 'no port' };
    const created = await runOperator(['accounts', 'create', '--kind', 'buyer'], env);
    expect(created.code).toBe(0);
    const keys = await runServerCommand<unknown[]>(['keys', 'list'], database);
    expect(keys).toHaveLength(1);
    const rejected = await runOperator(['start'], env);
    expect(rejected.code).toBe(2);
    expect(rejected.stderr).toContain('PORT');
    expect(rejected.stderr).toContain('It must be an integer from 0 to 65535.');
  });

  it('warns of insecure webhooks at every log level, and reads false as false', async () => {
    await createAccount('buyer');
    for (const [value, isWarned] of [
      ['false', false],
      ['true', true],
    ] as const) {
      const options = [`--allow-insecure-webhooks=${value}`, '--log-level', 'silent'];
      const server = await startServerProcess(database, options);
      const { stderr } = await server.stop();
      expect(stderr.includes('INSECURE')).toBe(isWarned);
    }
  });

  it.each([
    ['--no-docs', '/docs', '/console'],
    ['--no-console', '/console', '/docs'],
  ])('with %s it serves no %s', async (option, off, on) => {
    await createAccount('buyer');
    const server = await forTest(startServerProcess(database, [option]));
    expect((await fetch(server.url + off)).status).toBe(404);
    expect((await fetch(server.url + on)).status).toBe(200);
  });

  it('reports that the port is in use when it is started twice', async () => {
    const server = await forTest(startServerProcess(database));
    const { port } = new URL(server.url);
    const second = await operate('start', '--port', port);
    expect(second.code).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.stderr).toContain(`error: Port ${port} on 127.0.0.1 is in use.`);
  });

  it.each([
    [
      'an unknown account',
      ['keys', 'create', '--account', 'usr_none'],
      'Account usr_none does not exist',
    ],
    [
      'keys of an unknown account',
      ['keys', 'list', '--account', 'usr_none'],
      'Account usr_none does not exist in',
    ],
    [
      'webhooks of an unknown account',
      ['webhooks', 'list', '--account', 'usr_none'],
      'Account usr_none does not exist in',
    ],
    [
      'listings of an unknown seller',
      ['listings', 'list', '--seller', 'usr_none', '--json'],
      'Account usr_none does not exist in',
    ],
    ['an unknown key', ['keys', 'revoke', 'key_none'], 'Key key_none does not exist'],
    [
      'an unknown seller',
      ['listings', 'create', '--seller', 'usr_none', '--quantity', '1'],
      'Account usr_none does not exist',
    ],
    [
      'an unknown listing',
      ['listings', 'update', 'lst_none', '--add', '1'],
      'Listing lst_none does not exist',
    ],
    [
      'an unknown agent',
      ['listings', 'update', 'lst_none', '--agent', 'usr_none'],
      'Account usr_none does not exist',
    ],
  ])('rejects %s with a helpful message', async (_what, args, message) => {
    await createAccount('buyer');
    const { code, stdout, stderr } = await runOperator(args, { TRADEPOST_DATABASE: database });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['an unknown kind', ['accounts', 'create', '--kind', 'king'], 'Allowed choices are buyer'],
    ['a missing option', ['accounts', 'create'], "required option '--kind <kind>' not specified"],
    [
      'a blank name',
      ['accounts', 'create', '--kind', 'buyer', '--name', ' '],
      'It must not be empty or contain control characters, or others that nobody sees.',
    ],
    [
      'a blank database',
      ['seed', '--database', ''],
      'It must not be empty. Check for an empty variable.',
    ],
    [
      'an invalid duration',
      ['keys', 'create', '--account', 'usr_1', '--expires', 'soon'],
      'It must be a duration such as 30m, 12h, 90d or 52w, up to 3650d.',
    ],
    [
      'two quantities',
      ['listings', 'update', 'lst_1', '--quantity', '1', '--add', '1'],
      "option '--quantity <units>' cannot be used with option '--add <units>'",
    ],
    ['an unknown command', ['satrt'], 'Did you mean start?'],
    ['an update of nothing', ['listings', 'update', 'lst_none'], 'Nothing to change. Pass'],
    [
      'a certificate without its key',
      ['start', '--tls-cert', 'cert.pem'],
      '--tls-cert is set, but --tls-key is not.',
    ],
  ])('exits with 2 for %s, which is a usage error', async (_what, args, message) => {
    const { code, stdout, stderr } = await runOperator(args, { TRADEPOST_DATABASE: database });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('creates no database for a command that needs an existing one', async () => {
    const { code, stderr } = await operate('keys', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain(`The database ${database} does not exist.`);
    expect(existsSync(database)).toBe(false);
  });

  it('checks a database: prints each check, and exits with 3 if it finds a problem', async () => {
    await seedDatabase(database);
    const sound = await operate('check');
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    expect(sound.stdout).toMatch(/^(ok +[a-z]+ {2}.+\n){13}$/);
    const connection = new Database(database);
    connection.exec('UPDATE orders SET version = 9');
    connection.close();
    const broken = await operate('check');
    expect(broken.code).toBe(3);
    expect(broken.stdout).toMatch(
      /^problem {2}orders {6}.+\n {2}6 orders whose version does not fit their status: ord_\w+(, ord_\w+){4}, …$/m,
    );
    expect(broken.stderr).toContain('please report it. Restore a backup from before.');
    const json = await operate('check', '--json');
    expect(json).toMatchObject({ code: 3, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, schemaVersion: expect.any(Number) });
    const missing = await runOperator(['check', '--database', `${database}.missing`]);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
  }, 120_000);

  it('reports a file that cannot be read as damaged, and exits with 3', async () => {
    await seedDatabase(database);
    await truncate(database, 10_000);
    const { code, stdout, stderr } = await operate('check');
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^problem {2}integrity {3}the file is sound\n {2}1 faults in the file: database disk image is malformed\n(skipped {2}\w+ +.+\n){12}$/,
    );
    expect(stderr).toBe(
      'Stop the server, keep a copy of the file, and restore the latest backup. What is only not of this server can be dropped instead.\n',
    );
    const json = await operate('check', '--json');
    expect(json).toMatchObject({ code: 3, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, schemaVersion: null });
  });

  it('migrates a database, and rejects one of a newer server', async () => {
    await seedDatabase(database);
    const dryRun = await runServerCommand<{ to: number }>(['migrate', '--dry-run'], database);
    const { to: newest } = dryRun;
    expect(dryRun).toEqual({ database, from: newest, to: newest, dryRun: true });
    const current = await operate('migrate');
    expect(current).toMatchObject({ code: 0, stderr: 'The database has the current schema.\n' });
    expect(current.stdout).toMatch(new RegExp(`^from +${newest}\\nto +${newest}\\n`, 'm'));
    const connection = new Database(database);
    connection.pragma(`user_version = ${newest + 1}`);
    connection.close();
    for (const args of [
      ['migrate'],
      ['migrate', '--dry-run'],
      ['check'],
      ['start', '--port', '0'],
    ]) {
      const { code, stdout, stderr } = await operate(...args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        `has schema version ${newest + 1}, but this server supports up to ${newest}.`,
      );
    }
  }, 120_000);

  it.each([
    ['accounts create', ['accounts', 'create', '--kind', 'buyer']],
    ['accounts list', ['accounts', 'list']],
    ['keys create', ['keys', 'create', '--account', 'usr_1']],
    ['keys list', ['keys', 'list']],
    ['listings update', ['listings', 'update', 'lst_1', '--add', '1']],
    ['listings list', ['listings', 'list']],
    ['webhooks list', ['webhooks', 'list']],
    ['seed', ['seed']],
  ])('rejects %s on a database of an older server, and does not change it', async (_what, args) => {
    const { older, newest } = await createOlderDatabase();
    const { code, stdout, stderr } = await operate(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `error: The database ${database} has schema version ${newest - 1}; this version needs ${newest}. Make a backup, stop the servers of the old version, then run tradepost-server migrate --database ${database}.\n`,
    );
    expect(readFileSync(database).equals(older)).toBe(true);
  });

  it.each([
    ['migrate', ['migrate']],
    ['start', ['start', '--port', '0']],
  ])('prints no stack when %s cannot migrate, and changes nothing', async (_what, args) => {
    const { newest } = await createOlderDatabase();
    const { code, stdout, stderr } = await operate(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `error: Cannot migrate the database ${database} from schema version ${newest - 1}: `,
    );
    // What the last migration adds is there already: a column, an index or a table.
    expect(stderr).toMatch(
      /: (duplicate column name: \w+|(index|table) \w+ already exists)\. Nothing/,
    );
    expect(stderr).not.toMatch(/\n\s+at /);
    const connection = new Database(database);
    onTestFinished(() => void connection.close());
    expect(connection.pragma('user_version', { simple: true })).toBe(newest - 1);
  });

  it('prints no stack when the reader of a list closes the pipe', async () => {
    await seedDatabase(database);
    const { stderr, code } = await runProcess('sh', [
      '-c',
      '"$0" "$1" listings list --database "$2" | true',
      process.execPath,
      tradepostServerBin,
      database,
    ]);
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('rejects a seller account that is a buyer', async () => {
    const buyer = await createAccount('buyer');
    const args = ['listings', 'create', '--seller', buyer.id, '--quantity', '1'];
    const { code, stderr } = await operate(...args);
    expect(code).toBe(1);
    expect(stderr).toBe(`error: Account ${buyer.id} is a buyer account; a seller is required.\n`);
  });

  it('rejects an agent account that is a seller', async () => {
    const seller = await createAccount('seller');
    const agent = await createAccount('agent');
    const create = (...args: string[]) => operate('listings', 'create', '--quantity', '1', ...args);
    const swapped = await create('--seller', agent.id, '--agent', seller.id);
    expect(swapped.stderr).toBe(
      `error: Account ${agent.id} is an agent account; a seller is required.\n`,
    );
    const twice = await create('--seller', seller.id, '--agent', seller.id);
    expect(twice.stderr).toBe(
      `error: Account ${seller.id} is a seller account; an agent is required.\n`,
    );
  });

  it('does not change a file that is not its database', async () => {
    await writeFile(
      database,
      'This is a letter to a friend, and not a database at all. '.repeat(99),
    );
    const { code, stderr } = await operate('start', '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toContain('file is not a database');
  });
});
