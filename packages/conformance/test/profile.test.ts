import { expect, test } from 'vitest';
import { exampleProfile } from '../src/profile/example';
import { createProfile, listSecrets, placeholders } from '../src/profile/profile';
import { parseProfile } from '../src/profile/read-profile';

const places = {
  env: { KEY_BUYER: 'b-key', KEY_SELLER: 's-key', KEY_AGENT: 'a-key', KEY_STRANGER: 'x-key' },
  readFile(path: string) {
    if (path !== 'secret.txt') throw new Error('ENOENT');
    return 'from the file\n';
  },
  refuseWaiver: (id: string) =>
    id === 'UPD-2' || id === 'EVT-3' ? null : `${id} cannot be waived.`,
};
const read = (text: string) => parseProfile(text, 'p.yaml', places);

const keys = 'keys: { buyer: a, seller: b, agent: c, stranger: d }';
const valid = [
  'baseUrl: http://127.0.0.1:1',
  keys,
  'listing: lst_1',
  'receiver: { https: { caFile: ca.pem } }',
];

test('the profile that init writes is refused until its placeholders are replaced', () => {
  expect(() => read(exampleProfile)).toThrow(
    /^p\.yaml:\d+: baseUrl: Replace https.*\np\.yaml:\d+: listing: Replace lst_REPLACE_ME by/,
  );
});

test('the profile that init writes is complete', () => {
  const filledIn = exampleProfile
    .replace(placeholders.baseUrl, 'https://service.example')
    .replaceAll(placeholders.listing, 'lst_1');
  const profile = read(filledIn);
  expect(profile.keys).toMatchObject({ buyer: 'b-key', stranger: 'x-key' });
  expect(profile.events).toEqual({ withinSeconds: 30 });
  expect(profile.receiver).toEqual({
    https: { host: '127.0.0.1', port: 8443, caFile: './conformance-ca.pem' },
  });
});

test('a key may come from a text, a variable or a file', () => {
  const [url = '', , ...rest] = valid;
  const text = [
    url,
    'keys:',
    '  buyer: plain',
    '  seller: { env: KEY_SELLER }',
    '  agent: { file: secret.txt }',
    '  stranger: x',
  ];
  expect(read([...text, ...rest].join('\n')).keys).toEqual({
    ...{ buyer: 'plain', seller: 's-key', agent: 'from the file', stranger: 'x' },
  });
});

test.each([
  [
    'a field that does not exist',
    [...valid, 'retry: 3'],
    'p.yaml:5: retry: There is no such field.',
  ],
  ['a field that is missing', valid.slice(1), 'p.yaml:1: baseUrl: This field is missing.'],
  [
    'a nested field that is missing',
    ['baseUrl: http://a.example', 'keys:', '  buyer: a', ...valid.slice(2)],
    'p.yaml:2: keys.seller: This field is missing.',
  ],
  [
    'a variable that is not set',
    [
      ...valid.slice(0, 1),
      'keys:',
      '  buyer: { env: NONE }',
      '  seller: b',
      '  agent: c',
      '  stranger: d',
      ...valid.slice(2),
    ],
    'p.yaml:3: keys.buyer: The variable NONE is not set or empty.',
  ],
  [
    'a file that cannot be read',
    [...valid, 'webhooks: { secret: { fixed: { file: none } } }'],
    'p.yaml:5: webhooks.secret',
  ],
  [
    'one key for two accounts',
    [
      ...valid.slice(0, 1),
      'keys:',
      '  buyer: same',
      '  seller: b',
      '  agent: c',
      '  stranger: same',
      ...valid.slice(2),
    ],
    'p.yaml:6: keys.stranger: The same key as keys.buyer',
  ],
  [
    'a URL of another scheme',
    ['baseUrl: ftp://a.example', ...valid.slice(1)],
    'p.yaml:1: baseUrl: Expected an http or https URL.',
  ],
  [
    'a password in its URL',
    ['baseUrl: http://me:secret@a.example', ...valid.slice(1)],
    'p.yaml:1: baseUrl: A URL with a user name or a password is not accepted',
  ],
  [
    'a stated check that is waived',
    [
      ...valid,
      'waivers:',
      '  - { check: UPD-2, reason: coarse }',
      '  - { check: SIG-3, reason: no }',
    ],
    'p.yaml:7: waivers.1.check: SIG-3 cannot be waived',
  ],
  [
    'a waiver without a reason',
    [...valid, 'waivers: [{ check: UPD-2, reason: "" }]'],
    'p.yaml:5: waivers.0.reason: Say why',
  ],
  [
    'a receiver over http without a waiver',
    [...valid.slice(0, 3), 'receiver: { http: {} }'],
    'p.yaml:4: receiver: Deliveries over http need a waiver of EVT-3',
  ],
  [
    'a command that is a line of a shell',
    [...valid, 'pending: { command: make pending }'],
    'p.yaml:5: pending.command',
  ],
  [
    'a text that is no YAML',
    ['baseUrl: "x', ...valid.slice(1)],
    'p.yaml:4: Missing closing "quote',
  ],
])('a profile with %s names the line and the field', (_, lines, expected) => {
  expect(() => read(lines.join('\n'))).toThrow(expected);
});

test('a receiver over http is accepted with a waiver of EVT-3', () => {
  const lines = [
    ...valid.slice(0, 3),
    'receiver: { http: {} }',
    'waivers: [{ check: EVT-3, reason: a test }]',
  ];
  expect(read(lines.join('\n')).receiver).toEqual({ http: { host: '127.0.0.1', port: 0 } });
});

test('secrets are listed with the variables that replace them', () => {
  const profile = createProfile({
    baseUrl: 'http://127.0.0.1:1',
    keys: { buyer: 'a', seller: 'b', agent: 'c', stranger: 'd', strangerSeller: 'e' },
    listing: 'lst_1',
    webhooks: { secret: { fixed: 'f' } },
    receiver: { https: { caFile: 'ca.pem' } },
  });
  expect(listSecrets(profile)).toEqual([
    ...[
      ['a', '$KEY_BUYER'],
      ['b', '$KEY_SELLER'],
      ['c', '$KEY_AGENT'],
      ['d', '$KEY_STRANGER'],
    ],
    ...[
      ['e', '$KEY_STRANGER_SELLER'],
      ['f', '$WEBHOOK_SECRET'],
    ],
  ]);
});
