/**
 * What `npm run demo` runs: the main flow of the platform from end to end, on a temporary database
 * and free ports. It prints each step. If a step fails, it reports which one and exits with 1.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interruption, onInterruption } from '../local-service/interruption';
import { demo } from './demo';
import { createNarrator } from './narrator';

/** The demo takes about 10 seconds, so a run that reaches this limit is stuck. */
const timeoutMs = 120_000;

const introduction = `Tradepost from end to end: a real server, a real HTTPS receiver, the SDK and the CLI.
Everything runs on this machine with a temporary database. It takes about 10 seconds.
`;

const conclusion = `
Try next:
   npm start                  a server with demo data that keeps running: commands to paste, and a link to its console, for a browser
   cat examples/README.md     small programs to copy: a webhook receiver, an integration
`;

const controller = new AbortController();
const abort = (reason: Error) => controller.abort(reason);
onInterruption(abort);
// The reader of the output has exited, as in `npm run demo | head`.
process.stdout.on('error', abort);
const timer = setTimeout(
  () => abort(new Error(`The demo took longer than ${timeoutMs / 1000} seconds.`)),
  timeoutMs,
);

const narrator = createNarrator((text) => process.stdout.write(text));
const serverLog: string[] = [];
const cleanups: (() => Promise<void>)[] = [];
const onCleanup = (cleanup: () => Promise<void>) => cleanups.unshift(cleanup);

async function run(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-demo-'));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  const context = { narrator, signal: controller.signal, abort, onCleanup };
  return await demo(context, join(folder, 'demo.db'), (line) => serverLog.push(line));
}

function reportFailure(error: unknown): void {
  const reason = controller.signal.aborted ? controller.signal.reason : error;
  process.exitCode = reason instanceof Interruption ? reason.exitCode : 1;
  const message = reason instanceof Error ? reason.message : String(reason);
  process.stderr.write(`\nThe demo stopped at ${narrator.currentStep()}:\n${message}\n`);
  if (serverLog.length === 0) return;
  process.stderr.write(`The last lines of the server's log:\n${serverLog.slice(-5).join('\n')}\n`);
}

process.stdout.write(introduction);
let summary: string | undefined;
try {
  summary = await run();
} catch (error) {
  reportFailure(error);
}
for (const cleanup of cleanups) await cleanup().catch(reportFailure);
clearTimeout(timer);
if (summary !== undefined && process.exitCode === undefined) {
  const seconds = Math.round(performance.now() / 1000);
  process.stdout.write(`\n${summary}\n`);
  process.stdout.write(
    `The demo took ${seconds} s. The server and the receiver are stopped, the database is deleted.\n`,
  );
  process.stdout.write(conclusion);
}
