import { join } from 'node:path';
import { expect } from 'vitest';
import { checkout, tradepostServerBin } from '../helpers/programs';
import { runCli } from '../helpers/run-cli';
import { screenText } from '../helpers/screen-text';
import { type RunningProcess, runProcess, startProcess } from '../helpers/start-process';
import { type Command, classifyCommand, fillIn, findCommands, findReadySignal } from './commands';
import { readManifest, readPublishedNames } from './manifests';
import { compareOutput } from './output';
import type { Snippet } from './snippets';
import type { ReadmeContext } from './start-service';

/** Makes programs write as they do to a terminal. */
const asTerminal = { NODE_OPTIONS: `--import ${new URL('as-terminal.mjs', import.meta.url)}` };

/** The folder and environment of a command. */
interface RunOptions {
  cwd: string;
  env: Record<string, string>;
}

/** Reads the environment variables that the help of the programs documents. */
async function readKnownVariables(): Promise<string[]> {
  const start = [tradepostServerBin, 'start', '--help'];
  const helps = await Promise.all([runCli(['help']), runProcess(process.execPath, start)]);
  return helps.flatMap(({ stdout }) => stdout.match(/\b[A-Z][A-Z_]+\b/g) ?? []);
}

/**
 * Runs the commands of a snippet in order and compares their output with what it shows. A command that does
 * not end by itself is stopped after the last one.
 *
 * @param cwd The folder to run them in.
 */
export async function checkCommands(
  snippet: Snippet,
  { placeholders, ids, commandEnvironment: env }: ReadmeContext,
  cwd: string,
): Promise<void> {
  const started: RunningProcess[] = [];
  try {
    for (const command of findCommands(snippet)) {
      const kind = classifyCommand(command.text);
      if (kind.kind === 'install') {
        expect(await readPublishedNames()).toEqual(expect.arrayContaining(kind.packages));
      } else if (kind.kind === 'setting') {
        expect(await readKnownVariables()).toContain(kind.variable);
      } else if (kind.kind === 'script' && kind.folder === '') {
        expect((await readManifest('')).scripts).toHaveProperty(kind.script);
      } else {
        await checkPlain(command);
      }
    }
  } finally {
    await Promise.all(started.map((running) => running.stop()));
  }

  async function checkPlain(command: Command): Promise<void> {
    const text = fillIn(ids.toReal(command.text), placeholders);
    const { line, place } = await expandScript(text, { cwd, env });
    const ready = findReadySignal(text);
    if (ready !== undefined) {
      // Without a shell, so that stopping it stops the program itself.
      const running = startProcess('sh', ['-c', `exec env ${line}`], place);
      started.push(running);
      await running.writes(ready.pattern, ready.stream);
      return;
    }
    const screen = command.output === undefined ? {} : asTerminal;
    const { code, stdout } = await runProcess('sh', ['-c', `exec 2>&1\n${line}`], {
      ...place,
      env: { ...place.env, ...screen },
    });
    expect(code, `${text}\n${stdout}`).toBe(command.exitCode);
    if (command.output === undefined) return;
    // Only the final screen counts, without what was erased, such as a progress bar.
    const lines = screenText(stdout.replaceAll('\n', '\r\n')).trimEnd().split('\n');
    const { real, shown } = compareOutput(command.output, lines, ids);
    expect(real).toEqual(shown);
  }
}

/**
 * Replaces an npm script with its command. npm does not forward signals, so the script could not be
 * stopped.
 */
async function expandScript(
  text: string,
  place: RunOptions,
): Promise<{ line: string; place: RunOptions }> {
  // What npm downloads and runs is the program of this checkout.
  const started = text.replace(
    /^npm create tradepost@latest (\S+) -- /,
    (_, folder) => `node "${join(checkout, 'packages/create/bin/create-tradepost.js')}" ${folder} `,
  );
  const kind = classifyCommand(text);
  if (kind.kind !== 'script') return { line: started, place };
  const script = (await readManifest(kind.folder)).scripts?.[kind.script];
  if (script === undefined)
    throw new Error(`${kind.folder}/package.json has no script ${kind.script}.`);
  return {
    line: `${kind.settings}${script} ${kind.args}`,
    place: { ...place, cwd: join(checkout, kind.folder) },
  };
}
