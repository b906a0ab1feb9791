/**
 * What `npm run demo` runs: the platform's main job from end to end, each step shown, on a
 * temporary database and free ports. It ends with 0, or with a word on the step that failed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interruption, onInterruption } from '../local-service/interruption';
import { demo } from './demo';
import { createNarrator } from './narrate';

/** Milliseconds. It takes about ten seconds; a machine that needs longer than this has a problem. */
const longest = 120_000;

const introduction = `Tradepost from end to end: a real server, a real HTTPS receiver, the SDK and the CLI.
All of it runs on this machine, on a temporary database, in about 10 seconds.
`;

const conclusion = `
Try next:
   npm start                  a seeded server that stays up, with commands to paste
   cat examples/README.md     small programs to copy: a receiver, an integrator's script
`;

const early = new AbortController();
const abandon = (why: Error) => early.abort(why);
onInterruption(abandon);
// Whoever read along has gone, as in `npm run demo | head`.
process.stdout.on('error', abandon);
const clock = setTimeout(
  () => abandon(new Error(`The demo took longer than ${longest / 1000} seconds.`)),
  longest,
);

const narrator = createNarrator((text) => process.stdout.write(text));
const serverLog: string[] = [];
const undos: (() => Promise<void>)[] = [];
const atEnd = (undo: () => Promise<void>) => undos.unshift(undo);

async function run(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-demo-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const stage = { narrator, signal: early.signal, abandon, atEnd };
  return await demo(stage, join(folder, 'demo.db'), (line) => serverLog.push(line));
}

function explain(error: unknown): void {
  const why = early.signal.aborted ? early.signal.reason : error;
  process.exitCode = why instanceof Interruption ? why.exitCode : 1;
  const said = why instanceof Error ? why.message : String(why);
  process.stderr.write(`\nThe demo stopped at ${narrator.where()}:\n${said}\n`);
  if (serverLog.length === 0) return;
  process.stderr.write(`The server's last words:\n${serverLog.slice(-5).join('\n')}\n`);
}

process.stdout.write(introduction);
let shown: string | undefined;
try {
  shown = await run();
} catch (error) {
  explain(error);
}
for (const undo of undos) await undo().catch(explain);
clearTimeout(clock);
if (shown !== undefined && process.exitCode === undefined) {
  const seconds = Math.round(performance.now() / 1000);
  process.stdout.write(`\n${shown}\n`);
  process.stdout.write(
    `It took ${seconds} s. All that was started is stopped and removed again.\n`,
  );
  process.stdout.write(conclusion);
}
