import { expect, test } from 'vitest';
import { fillIn, type PlaceholderValues } from './fill-in';

const account = (kind: string) => ({ id: `usr_${kind}`, apiKey: `tpk_${kind}` });
const values: PlaceholderValues = {
  baseUrl: 'http://127.0.0.1:5',
  secret: 'whsec_1',
  buyer: account('buyer'),
  seller: account('seller'),
  agent: account('agent'),
  ids: { usr: ['usr_buyer', 'usr_seller'], key: ['key_1'] },
};

test.each([
  ["KEY=<the buyer's> a <the secret>", 'KEY=tpk_buyer a whsec_1'],
  [
    '--seller usr_… --agent usr_… --account usr_…',
    '--seller usr_seller --agent usr_agent --account usr_buyer',
  ],
  ['keys revoke key_…', 'keys revoke key_1'],
  ['--base-url https://trade.example/v1', '--base-url http://127.0.0.1:5/v1'],
  ['start --port 4010', 'start --port 0'],
  ['a plain command', 'a plain command'],
])('fillIn fills in %s', (text, filled) => {
  expect(fillIn(text, values)).toBe(filled);
});

test('fillIn throws for a placeholder without a value', () => {
  expect(() => fillIn('tasks get tsk_…', values)).toThrow('no value for tsk_…');
});
