import process from 'node:process';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import express from 'express';
import { expect, test, vi } from 'vitest';
import { UsageError } from '../../src/commands/operator-error';
import { parseLifetime, parseName, parseOrigins, parseProxies } from '../../src/commands/options';
import { createProgram } from '../../src/commands/program';
import {
  requireDistinctPorts,
  type StartOptions,
  startOptions,
} from '../../src/commands/start-options';

function parse(args: string[]): StartOptions {
  const command = new Command();
  for (const option of startOptions) command.addOption(option);
  return command.parse(args, { from: 'user' }).opts<StartOptions>();
}

test.each([
  [[], 75],
  [['--keep-alive', '120'], 120],
])('%j keeps idle connections for %i s', (args, seconds) => {
  expect(parse(args).keepAlive).toBe(seconds);
});

test.each([
  ['https://app.example', ['https://app.example']],
  ['https://app.example, http://localhost:5173', ['https://app.example', 'http://localhost:5173']],
  ['*', ['*']],
])('--cors-origin %s allows %j', (text, origins) => {
  expect(parse(['--cors-origin', text]).corsOrigin).toEqual(origins);
});

test.each(['app.example', 'https://app.example/', 'https://app.example/path', 'null', ''])(
  '--cors-origin rejects %j',
  (text) => {
    expect(() => parseOrigins(text)).toThrow('is not an origin');
  },
);

test.each([
  [[], undefined, true],
  [['--no-migrate'], undefined, false],
  [[], 'false', false],
  [['--migrate'], 'false', true],
])('%j with TRADEPOST_MIGRATE=%s sets whether it migrates to %s', (args, environment, migrates) => {
  vi.stubEnv('TRADEPOST_MIGRATE', environment);
  try {
    expect(parse(args).migrate).toBe(migrates);
  } finally {
    vi.unstubAllEnvs();
  }
});

test.each(
  (['docs', 'console'] as const).flatMap((page) =>
    [
      { args: [], environment: undefined, isServed: true },
      { args: [`--no-${page}`], environment: undefined, isServed: false },
      { args: [`--${page}=false`], environment: undefined, isServed: false },
      { args: [], environment: 'false', isServed: false },
      { args: [], environment: 'true', isServed: true },
      { args: [`--${page}`], environment: 'false', isServed: true },
      { args: [`--no-${page}`], environment: 'true', isServed: false },
    ].map((one) => ({ page, ...one })),
  ),
)(
  '$args with an environment of $environment sets $page to $isServed',
  ({ page, args, environment, isServed }) => {
    vi.stubEnv(`TRADEPOST_${page.toUpperCase()}`, environment);
    try {
      expect(parse(args)[page]).toBe(isServed);
    } finally {
      vi.unstubAllEnvs();
    }
  },
);

test.each([
  ['loopback', ['loopback']],
  ['10.0.0.5', ['10.0.0.5']],
  [
    'linklocal, uniquelocal,192.168.7.0/24,2001:db8::/32,::1,::ffff:10.0.0.1',
    ['linklocal', 'uniquelocal', '192.168.7.0/24', '2001:db8::/32', '::1', '::ffff:10.0.0.1'],
  ],
])('--trust-proxy %s is accepted, also by Express', (text, proxies) => {
  expect(parse(['--trust-proxy', text]).trustProxy).toEqual(proxies);
  expect(() => express().set('trust proxy', proxies)).not.toThrow();
});

test('API and metrics must not have the same port of the same address', () => {
  const check = (...args: string[]) => requireDistinctPorts(parse(args));
  expect(() => check('--metrics-port', '4010')).toThrow(UsageError);
  expect(() => check('--metrics-port', '4010')).toThrow(
    '--port and --metrics-port are both 4010 on 127.0.0.1. Pass another --metrics-port',
  );
  for (const args of [
    [],
    ['--metrics-port', '4011'],
    ['--port', '0', '--metrics-port', '0'],
    ['--metrics-port', '4010', '--metrics-host', '10.0.0.5'],
    ['--metrics-port', '4010', '--role', 'worker'],
  ]) {
    expect(() => check(...args)).not.toThrow();
  }
});

test.each([
  '',
  'true',
  '1',
  '10',
  '*',
  'proxy.example',
  '10.0.0.5,',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  '10.0.0.0/255.0.0.0',
  '10.0.0.0/08',
  '0x7f.1',
  'fe80::1%eth0',
  'Loopback',
])('--trust-proxy rejects %j', (text) => {
  expect(() => parseProxies(text)).toThrow('is not an address such as');
});

test.each(['0.0.0.0/0', '10.0.0.0/0', '::/0', '::ffff:0.0.0.0/96', '::ffff:10.0.0.0/95', '::/64'])(
  '--trust-proxy rejects %j, which has all addresses',
  (text) => {
    expect(() => parseProxies(text)).toThrow('is a subnet of all addresses, which is not allowed');
  },
);

test.each(['::ffff:0.0.0.0/97', '::ffff:10.0.0.0/104', '2000::/3', '128.0.0.0/1', '::/97'])(
  '--trust-proxy accepts %j, which has only some of them',
  (text) => {
    expect(parseProxies(text)).toEqual([text]);
  },
);

test('names have 200 characters at most', () => {
  for (const character of ['a', '🚢']) {
    expect(parseName(character.repeat(200))).toBe(character.repeat(200));
    expect(() => parseName(character.repeat(201))).toThrow('longer than 200 characters');
  }
});

test('an invalid value is quoted in the error, but not at length', async () => {
  let text = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  const reason = `it's ${'é'.repeat(5_000)}`;
  const args = ['node', 'tradepost-server', 'accounts', 'suspend', 'usr_1', '--reason', reason];
  const program = createProgram({ stdout: stderr, stderr });
  await expect(program.parseAsync(args)).rejects.toThrow('exit 2');
  expect(text).toContain(
    `argument '${reason.slice(0, 60)}…' is invalid. It must not be longer than 200 characters.`,
  );
});

test.each([
  ['1m', 60_000],
  ['52w', 52 * 7 * 86_400_000],
  ['3650d', 3_650 * 86_400_000],
])('a key may be valid for %s', (text, milliseconds) => {
  expect(parseLifetime(text)).toBe(milliseconds);
});

test.each(['0m', '3651d', '999999d', '30s', '90', '1.5h'])('but not for %s', (text) => {
  expect(() => parseLifetime(text)).toThrow('such as 30m, 12h, 90d or 52w, up to 3650d.');
});
