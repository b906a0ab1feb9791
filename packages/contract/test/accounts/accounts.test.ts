import { describe, expect, test } from 'vitest';
import { type Account, accountKinds, accountSchema } from '../../src/index';
import { listIssues } from '../helpers/issues';

function anAccount(overrides: Partial<Account> = {}, key: Partial<Account['key']> = {}): Account {
  return {
    id: 'usr_1',
    kind: 'buyer',
    name: 'Harbour Street Café',
    createdAt: '2026-11-21T09:30:00.000Z',
    key: { id: 'key_1', prefix: 'tpk_4fQx…', readOnly: false, expiresAt: null, ...key },
    ...overrides,
  };
}

describe('an account', () => {
  test.each(accountKinds)('accepts the kind %s', (kind) => {
    expect(accountSchema.parse(anAccount({ kind }))).toEqual(anAccount({ kind }));
  });

  test('rejects any other kind', () => {
    expect(listIssues(accountSchema, { ...anAccount(), kind: 'admin' })).toEqual([
      'kind: must be one of buyer, seller, agent',
    ]);
  });

  test("requires each of its fields, and each of its key's", () => {
    for (const name of Object.keys(anAccount())) {
      const rejected = accountSchema.safeParse({ ...anAccount(), [name]: undefined });
      expect(rejected.error?.issues).toMatchObject([{ path: [name] }]);
    }
    for (const name of Object.keys(anAccount().key)) {
      const rejected = accountSchema.safeParse(anAccount({}, { [name]: undefined }));
      expect(rejected.error?.issues).toMatchObject([{ path: ['key', name] }]);
    }
  });

  test('accepts a key with an expiry time', () => {
    const expiring = anAccount({}, { readOnly: true, expiresAt: '2027-02-19T09:30:00.000Z' });
    expect(accountSchema.parse(expiring)).toEqual(expiring);
    expect(listIssues(accountSchema, anAccount({}, { expiresAt: 'in 90 days' }))).toHaveLength(1);
  });

  test('drops unknown fields, such as a key or its hash', () => {
    const secret = { apiKey: 'tpk_secret', hash: 'f00d' };
    const found = { ...anAccount(), ...secret, key: { ...anAccount().key, ...secret } };
    expect(accountSchema.parse(found)).toEqual(anAccount());
  });
});
