import { expect, test } from 'vitest';
import { classifyCommand } from './classify-command';

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
