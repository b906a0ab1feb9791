import { fileURLToPath } from 'node:url';
import { checkout } from '../helpers/programs';
import { type Exit, runProcess, startProcess } from '../helpers/start-process';
import { runnableFile } from './program-folder';
import { signedDelivery, stripped, tampered } from './signed-delivery';

/** What a program that receives webhooks answers. */
export interface Answers {
  /** The status for a delivery that is signed as it should be. */
  genuine: number;
  /** The status for the same one with another body. */
  tampered: number;
  /** The status for the same one with `Service-Signature` alone. */
  stripped: number;
}

/** What a snippet in TypeScript or JavaScript reads from its environment. */
export interface ProgramEnvironment extends Record<string, string> {
  TRADEPOST_BASE_URL: string;
  TRADEPOST_API_KEY: string;
  TRADEPOST_WEBHOOK_SECRET: string;
}

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Runs a program to its end with Node alone, without a loader. */
export function runProgram(file: string, env: ProgramEnvironment): Promise<Exit> {
  const args = ['--enable-source-maps', runnableFile(file)];
  return runProcess(process.execPath, args, { env, cwd: checkout });
}

/** Starts a program that listens on PORT, posts deliveries to it, and stops it. */
export async function postToProgram(file: string, env: ProgramEnvironment): Promise<Answers> {
  const announce = ['--import', 'tsx', '--import', beside('announce-port.ts')];
  const receiver = startProcess(process.execPath, [...announce, file], {
    env: { ...env, PORT: '0' },
    cwd: checkout,
  });
  try {
    const [, port] = await receiver.writes(/^accepting on port (\d+)$/m, 'stderr');
    const post = async (delivery: { headers: Record<string, string>; body: string }) =>
      (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', ...delivery })).status;
    const genuine = signedDelivery(env.TRADEPOST_WEBHOOK_SECRET);
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
export async function callHandlerOf(file: string, env: ProgramEnvironment): Promise<Answers> {
  const driver = ['--import', 'tsx', beside('call-handler.ts'), file];
  const { code, stdout, stderr } = await runProcess(process.execPath, driver, {
    env,
    cwd: checkout,
  });
  if (code !== 0) throw new Error(`The handler's driver ended with ${code}:\n${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Answers;
}
