import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect } from 'vitest';
import {
  controlled,
  type DedupeTarget,
  describeDedupeStore,
  main,
  withControl,
} from './describe-dedupe-store';
import { describeReceiver } from './describe-receiver';
import { readRecipe } from './read-recipe';
import { type Application, startProject } from './start-application';

const recipe = readRecipe('SQLite');

/** The package that this checkout has compiled. */
const library = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));

let application: Application;
let target: DedupeTarget;
let database: Database.Database;

beforeAll(async () => {
  const remove = await startProject(
    {
      name: 'dedupe',
      dependencies: {
        '@types/better-sqlite3': '7.6.13',
        '@types/node': '20.19.43',
        'better-sqlite3': `link:${library}`,
        typescript: '5.9.3',
      },
      files: { ...recipe, [controlled]: withControl(recipe[main] ?? '') },
    },
    async (environment, start) => {
      await environment.run('typescript/bin/tsc');
      const connection = { DELIVERIES_DATABASE: join(environment.path, 'deliveries.db') };
      application = await start({
        args: ['dist/main.js'],
        ready: /listening on port/,
        env: connection,
      });
      database = new Database(connection.DELIVERIES_DATABASE);
      target = {
        start,
        connection,
        async expire(key) {
          const { changes } = database
            .prepare('UPDATE handled_deliveries SET expires_at = 0 WHERE key = ?')
            .run(key);
          expect(changes).toBe(1);
        },
        listKeys: async () =>
          database.prepare<[], string>('SELECT key FROM handled_deliveries').pluck().all(),
        readRemainingMs: async (key) => {
          const expiresAt = database
            .prepare<[string], number>('SELECT expires_at FROM handled_deliveries WHERE key = ?')
            .pluck()
            .get(key);
          return (expiresAt ?? 0) - Date.now();
        },
        async breakStore() {
          database.exec('BEGIN EXCLUSIVE');
          return async () => void database.exec('ROLLBACK');
        },
      };
    },
  );
  return async () => {
    database.close();
    await remove();
  };
});

describeReceiver('a receiver with SQLite', () => ({ application, path: '/webhooks' }));

describeDedupeStore('the store with SQLite', () => target, { isPruned: true });
