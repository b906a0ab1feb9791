import { expect, test } from 'vitest';
import { explainIncomplete, type RotationState } from '../../src/commands/secrets';

const complete: RotationState = {
  database: 'trade.db',
  keyId: 'aaaaaaaa',
  unreadable: [],
  others: [],
  isErased: true,
};

test('a rotation that left nothing is complete', () => {
  expect(explainIncomplete(complete)).toBeNull();
});

test.each<[string, Partial<RotationState>, string]>([
  [
    'names the webhooks whose secrets cannot be decrypted',
    { unreadable: ['whk_1', 'whk_2'], others: ['bbbbbbbb'], isErased: false },
    'Secrets of these webhooks cannot be decrypted, and were not changed: whk_1, whk_2.',
  ],
  [
    'reports a server that still uses other keys',
    { others: [null, 'bbbbbbbb'] },
    'Meanwhile, a server stored secrets in plain text and with key bbbbbbbb. Restart all servers with aaaaaaaa as their first key',
  ],
  [
    'reports earlier copies in the files',
    { isErased: false },
    'earlier copies may still be in trade.db and trade.db-wal',
  ],
])('an incomplete rotation %s', (_what, state, message) => {
  expect(explainIncomplete({ ...complete, ...state })).toContain(message);
});
