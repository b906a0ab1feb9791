import { join } from 'node:path';
import { expect } from 'vitest';
import { checkout, tradepostServerBin } from '../helpers/programs';
import { runCli } from '../helpers/run-cli';
import { screenText } from '../helpers/screen-text';
import { type RunningProcess, runProcess, startProcess } from '../helpers/start-process';
import { compareOutput } from './compare-output';
import { fillIn } from './fill-in';
import { type Command, findCommands } from './find-commands';
import type { Snippet } from './find-snippets';
import { kindOfCommand } from './kind-of-command';
import { readySign } from './lasting-commands';
import { publishedNames, readManifest } from './manifests';
import type { ReadmeWorld } from './start-service';

/** Makes programs write as they do to a terminal. */
const asTerminal = { NODE_OPTIONS: `--import ${new URL('as-terminal.mjs', import.meta.url)}` };

/** Where a command runs. */
interface Place {
  cwd: string;
  env: Record<string, string>;
}

/** The environment variables that our programs say they read. */
async function knownVariables(): Promise<string[]> {
  const start = [tradepostServerBin, 'start', '--help'];
  const helps = await Promise.all([runCli(['help']), runProcess(process.execPath, start)]);
  return helps.flatMap(({ stdout }) => stdout.match(/\b[A-Z][A-Z_]+\b/g) ?? []);
}

/**
 * Does what the commands of a snippet say, in their order, and holds them to what it shows. What goes
 * on until it is stopped is stopped when all have been run.
 *
 * @param cwd The folder to run them in.
 */
export async function checkCommands(
  snippet: Snippet,
  { cast, ids, commandEnvironment: env }: ReadmeWorld,
  cwd: string,
): Promise<void> {
  const started: RunningProcess[] = [];
  try {
    for (const command of findCommands(snippet)) {
      const kind = kindOfCommand(command.text);
      if (kind.kind === 'install') {
        expect(await publishedNames()).toEqual(expect.arrayContaining(kind.packages));
      } else if (kind.kind === 'setting') {
        expect(await knownVariables()).toContain(kind.variable);
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
    const text = fillIn(ids.toReal(command.text), cast);
    const { line, place } = await expandScript(text, { cwd, env });
    const ready = readySign(text);
    if (ready !== undefined) {
      // Without a shell between, so that stopping it stops the program itself.
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
    // What was drawn and taken away again, such as how far a command is, nobody pastes.
    const lines = screenText(stdout.replaceAll('\n', '\r\n')).trimEnd().split('\n');
    const { real, shown } = compareOutput(command.output, lines, ids);
    expect(real).toEqual(shown);
  }
}

/**
 * Puts the program for the npm script that runs it. npm does not hand signals on to what it runs: it
 * could not be stopped.
 */
async function expandScript(text: string, place: Place): Promise<{ line: string; place: Place }> {
  const kind = kindOfCommand(text);
  if (kind.kind !== 'script') return { line: text, place };
  const script = (await readManifest(kind.folder)).scripts?.[kind.script];
  if (script === undefined)
    throw new Error(`${kind.folder}/package.json has no script ${kind.script}.`);
  return {
    line: `${kind.settings}${script} ${kind.args}`,
    place: { ...place, cwd: join(checkout, kind.folder) },
  };
}
