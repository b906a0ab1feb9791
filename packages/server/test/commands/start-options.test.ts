import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { parseOrigins } from '../../src/commands/options';
import { type StartOptions, startOptions } from '../../src/commands/start-options';

function parse(args: string[]): StartOptions {
  const command = new Command();
  for (const option of startOptions) command.addOption(option);
  return command.parse(args, { from: 'user' }).opts<StartOptions>();
}

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
  [['--no-docs'], undefined, false],
  [['--docs=false'], undefined, false],
  [[], 'false', false],
  [[], 'true', true],
  [['--docs'], 'false', true],
  [['--no-docs'], 'true', false],
])('%j with TRADEPOST_DOCS=%s sets the API reference to %s', (args, environment, isServed) => {
  vi.stubEnv('TRADEPOST_DOCS', environment);
  try {
    expect(parse(args).docs).toBe(isServed);
  } finally {
    vi.unstubAllEnvs();
  }
});
