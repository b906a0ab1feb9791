import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { type CliContext, type OutputStream, wait } from '../../src/context';
import { run } from '../../src/program';
import { FakeStream } from './fake-stream';

/** What a command line ended with. */
export interface CliResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** What a test may set. Defaults: pipes, a key, no base URL, no interruption. */
export interface CliSetting {
  env?: Record<string, string | undefined>;
  /** Makes stdout and stderr terminals. */
  screen?: { columns: number; colours?: boolean };
  stdout?: OutputStream;
  signal?: AbortSignal;
  /** All that stdin has; nothing unless told. */
  input?: string | Buffer;
  /** The current time, in milliseconds since 1970. @default Date.now() */
  now?: () => number;
  /** How a command waits; for real unless told. */
  wait?: CliContext['wait'];
}

/** Folders that cannot exist, even for root, so that tests never read real profiles. */
const noLogins = {
  TRADEPOST_CONFIG_DIR: '/dev/null/config',
  TRADEPOST_STATE_DIR: '/dev/null/state',
};

/** Runs a command line with the real parser and the real commands, between streams of the test. */
export async function runCli(argv: string[], setting: CliSetting = {}): Promise<CliResult> {
  vi.stubEnv('FORCE_COLOR', undefined);
  const stdout = new FakeStream(setting.screen);
  const stderr = new FakeStream(setting.screen);
  const exitCode = await run(argv, {
    stdout: setting.stdout ?? stdout,
    stderr,
    stdin: () => Readable.from([setting.input ?? ''], { objectMode: false }),
    now: setting.now ?? Date.now,
    elapsed: setting.now ?? (() => performance.now()),
    wait: setting.wait ?? wait,
    env: { ...noLogins, TZ: 'UTC', TRADEPOST_API_KEY: 'tpk_test', ...setting.env },
    signal: setting.signal ?? new AbortController().signal,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}
