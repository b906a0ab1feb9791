import { describe, expect, test } from 'vitest';
import { translateMigration } from '../../../src/stores/postgres/migrate';
import { firstSchema } from '../../../src/stores/postgres/migrations/001-first-schema';

describe('the first migration', () => {
  test('has byte order of its IDs on PostgreSQL', () => {
    const version = 'PostgreSQL 18.4 on x86_64-pc-linux-gnu';
    expect(translateMigration(firstSchema, version)).toBe(firstSchema);
    expect(firstSchema).toContain('id TEXT COLLATE "C" PRIMARY KEY');
  });

  test('leaves the collation out on CockroachDB, and nothing else', () => {
    const translated = translateMigration(
      firstSchema,
      'CockroachDB CCL v24.3.0 (x86_64-pc-linux-gnu)',
    );
    expect(translated).toContain('id TEXT PRIMARY KEY');
    expect(translated).not.toContain('COLLATE');
    const difference = firstSchema.length - translated.length;
    expect(difference).toBe(
      firstSchema.split(' COLLATE "C"').slice(1).length * ' COLLATE "C"'.length,
    );
  });
});
