import { fileURLToPath } from 'node:url';
import { checkout } from '../helpers/programs';
import { type Exit, runProcess, startProcess } from '../helpers/start-process';
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
