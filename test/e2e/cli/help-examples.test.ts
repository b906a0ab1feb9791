import { expect, it, onTestFinished } from 'vitest';
import { readCommands } from '../../helpers/read-commands';
import { runAll } from '../../helpers/run-all';
import { runCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { runProcess } from '../../helpers/start-process';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { tradepostFunction } from '../../helpers/tradepost-shell';
import { type StagedExample, startExampleWorld } from './demo-data';
import { findExamples } from './find-examples';
import { startHalfReceiver } from './invalid-services';

/** What the screen shows once an example that goes on for ever does its work. */
const endless: readonly (readonly [RegExp, RegExp])[] = [
  [/^tradepost orders watch/, /ord_/],
  [/^tradepost webhooks listen/, /Forwarding events to/],
];

it('the examples are found in a help page, and nothing else is', () => {
  const help =
    'NOTES:\n  $ no\n\nEXAMPLES:\n  $ tradepost a\n  $ tradepost b | c\n\nOUTPUT:\n  $ x\n';
  expect(findExamples(help)).toEqual(['tradepost a', 'tradepost b | c']);
  expect(findExamples('EXAMPLES:\n  $ tradepost a')).toEqual(['tradepost a']);
  expect(findExamples('OUTPUT:\n  $ x\n')).toEqual([]);
});

it('every example in the help of every command works', async () => {
  const seeded = await startSeededServer(['--rate-limit', '1000000']);
  onTestFinished(seeded.close);
  const receiver = await startHalfReceiver();
  onTestFinished(receiver.close);
  const world = await startExampleWorld(seeded, receiver.url);
  onTestFinished(world.close);

  const helps = await readCommands();
  for (const [path, help] of helps) expect(findExamples(help), path).not.toEqual([]);
  const root = (await runCli(['--help'])).stdout;
  const examples = new Set([root, ...helps.values()].flatMap(findExamples));

  /** Runs one that asks, or has no end, as a person does. Returns the exit code. */
  async function runByHand({ line, folder, env }: StagedExample, ready?: RegExp) {
    const session = startOnTerminal([], { env, cwd: folder, shell: line, columns: 250 });
    if (ready === undefined) {
      if (!line.includes('--base-url')) {
        await session.shows(/Service URL/);
        // What it suggests is the address of the login before.
        session.type('\r');
      }
      await session.shows(/API key/);
      session.type(`${seeded.seller.apiKey}\r`);
    } else {
      let isReady = false;
      const shown = session.shows(ready).finally(() => {
        isReady = true;
      });
      // It begins with what happens from now on: something must, once it looks.
      while (!isReady && line.includes(' watch')) await Promise.race([shown, world.cancelOrder()]);
      await shown;
      session.type('\u0003');
    }
    const { code, text } = await session.exit;
    return { code, said: text };
  }

  const broken: unknown[] = [];
  await runAll(examples, async (example) => {
    const staged = await world.stage(example);
    const { line, folder, env } = staged;
    const ready = endless.find(([form]) => form.test(example))?.[1];
    const asks = /^tradepost login(?!.*--key-stdin)/.test(example);
    if (ready !== undefined || asks) {
      const { code, said } = await runByHand(staged, ready);
      const isWell = ready === undefined ? code === 0 : code === 130 || code === 0;
      if (!isWell) broken.push({ example, line, code, said });
    } else {
      const script = tradepostFunction + line;
      const { code, stdout, stderr } = await runProcess('sh', ['-c', script], { env, cwd: folder });
      // Of several programs the last one tells how it ended: the others tell it on stderr.
      if (code !== 0 || /^error:|"error":/m.test(stderr)) {
        broken.push({ example, line, code, stdout, stderr });
      }
    }
    await world.clear(staged);
  });
  expect(broken).toEqual([]);
}, 300_000);
