import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostFunction } from '../../helpers/programs';
import { readCommands } from '../../helpers/read-commands';
import { runAll } from '../../helpers/run-all';
import { runCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { runProcess } from '../../helpers/start-process';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { findExamples } from './helpers/find-examples';
import { startPartialReceiver } from './helpers/invalid-services';
import { type PreparedExample, prepareExamples } from './helpers/prepare-examples';

/** What the screen shows once an example that does not end by itself has started its work. */
const endless: readonly (readonly [RegExp, RegExp])[] = [
  [/^tradepost orders watch/, /ord_/],
  [/^tradepost webhooks listen/, /Forwarding events to/],
];

/** Examples that change every order of a list. */
const changesListedOrders = /^tradepost orders list .*\| tradepost orders set-status/;

it('findExamples finds the examples in a help page, and nothing else', () => {
  const help =
    'NOTES:\n  $ no\n\nEXAMPLES:\n  $ tradepost a\n  $ tradepost b | c\n\nOUTPUT:\n  $ x\n';
  expect(findExamples(help)).toEqual(['tradepost a', 'tradepost b | c']);
  expect(findExamples('EXAMPLES:\n  $ tradepost a')).toEqual(['tradepost a']);
  expect(findExamples('OUTPUT:\n  $ x\n')).toEqual([]);
});

it('every example in the help of every command works', async () => {
  const seeded = await forTest(startSeededServer(['--rate-limit', '1000000']));
  const receiver = await forTest(startPartialReceiver());
  const preparation = await forTest(prepareExamples(seeded, receiver.url));

  const helps = await readCommands();
  for (const [path, help] of helps) {
    expect(findExamples(help), path).not.toEqual([]);
    // `readCommandPaths` relies on it.
    expect(path.split(' ').length, path).toBeLessThanOrEqual(2);
  }
  const root = (await runCli(['--help'])).stdout;
  const examples = new Set([root, ...helps.values()].flatMap(findExamples));

  /** Runs an example that prompts or does not end by itself, as a person does. */
  async function runByHand({ line, folder, env }: PreparedExample, ready?: RegExp) {
    const session = startOnTerminal([], { env, cwd: folder, shell: line, columns: 250 });
    if (ready === undefined) {
      if (!line.includes('--base-url')) {
        await session.shows(/Service URL/);
        // It suggests the URL of the last login.
        session.type('\r');
      }
      await session.shows(/API key/);
      session.type(`${seeded.seller.apiKey}\r`);
    } else {
      let isReady = false;
      const shown = session.shows(ready).finally(() => {
        isReady = true;
      });
      // It prints changes from now on, so a change must happen once it polls.
      while (!isReady && line.includes(' watch'))
        await Promise.race([shown, preparation.cancelOrder()]);
      await shown;
      session.type('\u0003');
    }
    const { code, text } = await session.exit;
    return { code, output: text };
  }

  const broken: unknown[] = [];
  async function run(example: string): Promise<void> {
    const prepared = await preparation.prepare(example);
    const { line, folder, env } = prepared;
    const ready = endless.find(([form]) => form.test(example))?.[1];
    const prompts = /^tradepost login(?!.*--key-stdin)/.test(example);
    if (ready !== undefined || prompts) {
      const { code, output } = await runByHand(prepared, ready);
      const isExpected = ready === undefined ? code === 0 : code === 130 || code === 0;
      if (!isExpected) broken.push({ example, line, code, output });
    } else {
      const script = tradepostFunction + line;
      const { code, stdout, stderr } = await runProcess('sh', ['-c', script], { env, cwd: folder });
      // In a pipeline the exit code is that of the last program. The others report errors on stderr.
      if (code !== 0 || /^error:|"error":/m.test(stderr)) {
        broken.push({ example, line, code, stdout, stderr });
      }
    }
    await preparation.clear(prepared);
  }
  // These change orders of other examples too, so nothing else may run beside them.
  const pipelines = [...examples].filter((example) => changesListedOrders.test(example));
  expect(pipelines).not.toEqual([]);
  for (const pipeline of pipelines) examples.delete(pipeline);
  await runAll(examples, run);
  await runAll(pipelines, run, 1);
  expect(broken).toEqual([]);
}, 300_000);
