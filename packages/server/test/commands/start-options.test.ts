import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { type StartOptions, startOptions } from '../../src/commands/start-options';

function parse(args: string[]): StartOptions {
  const command = new Command();
  for (const option of startOptions) command.addOption(option);
  return command.parse(args, { from: 'user' }).opts<StartOptions>();
}

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
