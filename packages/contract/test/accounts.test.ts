import { describe, expect, test } from 'vitest';
import { type Account, accountKinds, accountSchema } from '../src/index';
import { complaints } from './complaints';

function anAccount(overrides: Partial<Account> = {}, key: Partial<Account['key']> = {}): Account {
  return {
    id: 'usr_1',
    kind: 'buyer',
    name: 'Harbour Street Café',
    createdAt: '2026-11-21T09:30:00.000Z',
    key: { id: 'key_1', hint: 'tpk_4fQx…', readOnly: false, expiresAt: null, ...key },
    ...overrides,
  };
}

describe('an account', () => {
  test.each(accountKinds)('may be of kind %s', (kind) => {
    expect(accountSchema.parse(anAccount({ kind }))).toEqual(anAccount({ kind }));
  });

  test('is of one of three kinds', () => {
    expect(complaints(accountSchema, { ...anAccount(), kind: 'admin' })).toEqual([
      'kind: must be one of buyer, seller, agent',
    ]);
  });

  test('needs each of its fields, and each of its key', () => {
    for (const name of Object.keys(anAccount())) {
      const refused = accountSchema.safeParse({ ...anAccount(), [name]: undefined });
      expect(refused.error?.issues).toMatchObject([{ path: [name] }]);
    }
    for (const name of Object.keys(anAccount().key)) {
      const refused = accountSchema.safeParse(anAccount({}, { [name]: undefined }));
      expect(refused.error?.issues).toMatchObject([{ path: ['key', name] }]);
    }
  });

  test('may have a key that expires, which is told as a moment', () => {
    const expiring = anAccount({}, { readOnly: true, expiresAt: '2027-02-19T09:30:00.000Z' });
    expect(accountSchema.parse(expiring)).toEqual(expiring);
    expect(complaints(accountSchema, anAccount({}, { expiresAt: 'in 90 days' }))).toHaveLength(1);
  });

  test('never tells a key or its hash: what is not its own is dropped', () => {
    const secret = { apiKey: 'tpk_secret', hash: 'f00d' };
    const told = { ...anAccount(), ...secret, key: { ...anAccount().key, ...secret } };
    expect(accountSchema.parse(told)).toEqual(anAccount());
  });
});
