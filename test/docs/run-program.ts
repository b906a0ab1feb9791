import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { checkout } from '../helpers/programs';
import { type Exit, runProcess, startProcess } from '../helpers/start-process';
import { findExpectedLines, findMissingLines } from './output';
import { getRunnableFile } from './program-folder';
import { createSignedDelivery, stripped, tampered } from './signed-delivery';

/** The statuses with which a webhook receiver responds. */
export interface ResponseStatuses {
  /** The status for a correctly signed delivery. */
  genuine: number;
  /** The status for the same one with another body. */
  tampered: number;
  /** The status for the same one with `Service-Signature` alone. */
  stripped: number;
}

/** The environment variables of a snippet in TypeScript or JavaScript. */
export interface ProgramEnvironment extends Record<string, string> {
  TRADEPOST_BASE_URL: string;
  TRADEPOST_API_KEY: string;
  TRADEPOST_WEBHOOK_SECRET: string;
  /** The file of a snippet's own database, outside of this checkout. */
  DELIVERIES_DATABASE: string;
}

const resolveFile = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Runs a program to its end with Node alone, without a loader. */
export function runProgram(file: string, env: ProgramEnvironment): Promise<Exit> {
  const args = ['--enable-source-maps', getRunnableFile(file)];
  return runProcess(process.execPath, args, { env, cwd: checkout });
}

/** Starts a program that listens on PORT, posts deliveries to it, and stops it. */
export async function postToProgram(
  file: string,
  env: ProgramEnvironment,
): Promise<ResponseStatuses> {
  const announce = ['--import', 'tsx', '--import', resolveFile('announce-port.ts')];
  const receiver = startProcess(process.execPath, [...announce, file], {
    env: { ...env, PORT: '0' },
    cwd: checkout,
  });
  try {
    const [, port] = await receiver.writes(/^accepting on port (\d+)$/m, 'stderr');
    const post = async (delivery: { headers: Record<string, string>; body: string }) =>
      (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', ...delivery })).status;
    const genuine = createSignedDelivery(env.TRADEPOST_WEBHOOK_SECRET);
    return {
      genuine: await post(genuine),
      tampered: await post(tampered(genuine)),
      stripped: await post(stripped(genuine)),
    };
  } finally {
    await receiver.stop();
  }
}

/** Calls the web handler that a program exports with deliveries. */
export async function callHandler(
  file: string,
  env: ProgramEnvironment,
): Promise<ResponseStatuses> {
  const driver = ['--import', 'tsx', resolveFile('call-handler.ts'), file];
  const { code, stdout, stderr } = await runProcess(process.execPath, driver, {
    env,
    cwd: checkout,
  });
  if (code !== 0) throw new Error(`The handler's driver exited with ${code}:\n${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as ResponseStatuses;
}

/**
 * Runs a snippet that is a program. One that receives webhooks has to accept a signed delivery and
 * reject a tampered one and a stripped one. Any other has to exit with 0 and print what its comments
 * show.
 */
export async function checkProgram(
  file: string,
  code: string,
  env: ProgramEnvironment,
): Promise<void> {
  const listens = code.includes('process.env.PORT');
  if (listens || /^export (default|const (POST|handler)) /m.test(code)) {
    const { genuine, tampered, stripped } = await (listens ? postToProgram : callHandler)(
      file,
      env,
    );
    expect(genuine.toString(), 'the status for a signed delivery').toMatch(/^2/);
    expect(tampered.toString(), 'the status for a tampered delivery').toMatch(/^4/);
    expect(stripped.toString(), 'the status for a stripped delivery').toMatch(/^4/);
    return;
  }
  const exit = await runProgram(file, env);
  expect(exit.code, exit.stderr).toBe(0);
  expect(findMissingLines(findExpectedLines(code), exit.stdout), exit.stdout).toEqual([]);
}
