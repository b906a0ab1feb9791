import { describe, expect, test } from 'vitest';
import { translateMigration } from '../../../src/stores/postgres/migrate';
import { firstSchema } from '../../../src/stores/postgres/migrations/001-first-schema';

describe('the first migration', () => {
  test('has byte order of its IDs on PostgreSQL', () => {
    const version = 'PostgreSQL 18.4 on x86_64-pc-linux-gnu';
    expect(translateMigration(firstSchema, version)).toBe(firstSchema);
    expect(firstSchema).toContain('id TEXT COLLATE "C" PRIMARY KEY');
  });

  test('leaves collations and storage parameters out on CockroachDB, and nothing else', () => {
    const translated = translateMigration(
      firstSchema,
      'CockroachDB CCL v24.3.0 (x86_64-pc-linux-gnu)',
    );
    expect(translated).toContain('id TEXT PRIMARY KEY');
    expect(translated).toContain('\n);\nCREATE INDEX pending_deliveries_of_webhook');
    const left = firstSchema.split(/ COLLATE "C"| WITH \(.*?\)/);
    expect(left.length).toBeGreaterThan(50);
    expect(translated).toBe(left.join(''));
  });
});
