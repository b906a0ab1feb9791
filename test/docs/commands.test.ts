import { describe, expect, test } from 'vitest';
import { classifyCommand, fillIn, findCommands, type PlaceholderValues } from './commands';

const find = (language: string, ...lines: string[]) =>
  findCommands({ readme: 'A.md', line: 7, language, code: lines.map((l) => `${l}\n`).join('') });

describe('findCommands', () => {
  test('reads each line of sh as a command, without blank lines and comments', () => {
    expect(find('sh', '# First', 'a --b # why', '', '  c')).toEqual([
      { text: 'a --b # why', output: undefined, exitCode: 0 },
      { text: '  c', output: undefined, exitCode: 0 },
    ]);
  });

  test('joins lines that continue after a backslash', () => {
    expect(find('sh', 'a \\', '  --b \\', '  --c', 'd').map(({ text }) => text)).toEqual([
      'a \\\n  --b \\\n  --c',
      'd',
    ]);
    expect(find('console', '$ a \\', '  --b', 'out')).toEqual([
      { text: 'a \\\n  --b', output: ['out'], exitCode: 0 },
    ]);
  });

  test('reads what follows a console prompt as a command, and the rest as its output', () => {
    expect(find('console', '$ a', 'one', '', ' two', '$ b', '$ c', 'three')).toEqual([
      { text: 'a', output: ['one', '', ' two'], exitCode: 0 },
      { text: 'b', output: [], exitCode: 0 },
      { text: 'c', output: ['three'], exitCode: 0 },
    ]);
  });

  test('reads the exit code from below `echo $?`', () => {
    expect(find('console', '$ a', 'no', '$ echo $?', '6', '$ b')).toEqual([
      { text: 'a', output: ['no'], exitCode: 6 },
      { text: 'b', output: [], exitCode: 0 },
    ]);
  });

  test('rejects a console that starts with output', () => {
    expect(() => find('console', 'out', '$ a')).toThrow('A.md:7 shows output without a command.');
  });
});

test.each([
  ['npm install @tradepost/sdk', { kind: 'install', packages: ['@tradepost/sdk'] }],
  ['npm i --global a b # why', { kind: 'install', packages: ['a', 'b'] }],
  ['export TRADEPOST_API_KEY=tpk_…', { kind: 'setting', variable: 'TRADEPOST_API_KEY' }],
  ['tradepost orders list', { kind: 'plain' }],
  ['echo npm start', { kind: 'plain' }],
  ['npm install', { kind: 'plain' }],
])('classifyCommand recognises %s', (text, kind) => {
  expect(classifyCommand(text)).toEqual(kind);
});

test.each([
  ['npm run demo       # about 10 seconds', { script: 'demo' }],
  ['npm start          # Ctrl-C stops it', { script: 'start' }],
  ['PORT=4020 npm test', { script: 'test', settings: 'PORT=4020 ' }],
  [
    'KEY=k npm --prefix examples run --silent follow -- lst_1 2',
    { script: 'follow', folder: 'examples', settings: 'KEY=k ', args: 'lst_1 2' },
  ],
])('classifyCommand recognises the npm script %s', (text, script) => {
  const defaults = { kind: 'script', folder: '', settings: '', args: '' };
  expect(classifyCommand(text)).toEqual({ ...defaults, ...script });
});

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
