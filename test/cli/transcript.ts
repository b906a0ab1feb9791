import { tradepostBin } from '../support/programs';
import { startOnTerminal } from '../support/start-on-terminal';
import { startProcess } from '../support/start-process';

/** One command line of a transcript. */
export interface Step {
  /** The arguments alone. */
  argv: readonly string[];
  /** Whether stdin, stdout and stderr are pipes, or one terminal of 80 cells. */
  on: 'pipes' | 'terminal';
  /** Its environment. */
  env: Record<string, string>;
  /** All that stdin has, on pipes. */
  input?: string;
  /** What is typed once the terminal shows something: `[what, keys]`, in this order. */
  keys?: readonly (readonly [RegExp, string])[];
  /** It goes on for ever: Ctrl-C once it has written this. */
  until?: RegExp;
}

/** What came of a command line. */
export interface Played {
  code: number | null;
  /** On a terminal all that the screen got. */
  stdout: string;
  /** Empty on a terminal. */
  stderr: string;
}

/** Runs one command line as a process of its own. */
export async function play(step: Step): Promise<Played> {
  return step.on === 'pipes' ? await playOnPipes(step) : await playOnTerminal(step);
}

async function playOnPipes({ argv, env, input, until }: Step): Promise<Played> {
  const child = startProcess(process.execPath, [tradepostBin, ...argv], {
    env,
    ...(input === undefined ? {} : { input }),
  });
  if (until !== undefined) {
    await Promise.race([child.writes(until), child.writes(until, 'stderr')]);
    await child.stop('SIGINT');
  }
  const { code, stdout, stderr } = await child.exit;
  return { code, stdout, stderr };
}

async function playOnTerminal({ argv, env, keys = [], until }: Step): Promise<Played> {
  const session = startOnTerminal(argv, { env, columns: 80 });
  for (const [what, typed] of keys) {
    await session.shows(what);
    session.type(typed);
  }
  if (until !== undefined) {
    await session.shows(until);
    session.type('\u0003');
  }
  const { code, text } = await session.exit;
  return { code, stdout: text, stderr: '' };
}

/**
 * The text of a transcript: what was typed, what came of it, and the exit code. What differs from run
 * to run is covered by something of the same length, so that columns stay where they are; one id is
 * covered by one cover throughout.
 */
export function createTranscript(covers: Readonly<Record<string, string>>) {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const parts: string[] = [];

  function coverOf(id: string): string {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const prefix = id.slice(0, id.indexOf('_') + 1);
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    const cover = prefix + String(count).padStart(id.length - prefix.length, '0');
    ids.set(id, cover);
    return cover;
  }

  function covered(text: string): string {
    let shown = text;
    for (const [real, cover] of Object.entries(covers)) shown = shown.replaceAll(real, cover);
    return shown
      .replaceAll(/\b(?:ord|usr|lst|ntf|whk|dlv|evt|tsk|key)_[0-9A-Z]{26}/g, coverOf)
      .replaceAll(/\b(req_)[0-9a-f]{32}/g, `$1${'0'.repeat(32)}`)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) =>
        time.replaceAll(/\d/g, '0'),
      )
      .replaceAll(/\b\d{8}T\d{6}Z-\d+/g, '00000000T000000Z-0')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:00000')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '0'.repeat(64))
      .replaceAll(/\bwhsec_[\w+/=]{20,}/g, 'whsec_00000000')
      .replaceAll(/\btpk_\w{2,8}…/g, 'tpk_0000…')
      .replaceAll(/\b\d+(\.\d+)? ?(ms|\/s)\b/g, '0 $2');
  }

  return {
    /** Adds a command line and what came of it. */
    add({ argv, on }: Step, { code, stdout, stderr }: Played): void {
      const where = on === 'terminal' ? ' (on a terminal)' : '';
      const streams =
        on === 'terminal'
          ? [stdout]
          : [stdout, ...(stderr === '' ? [] : [`--- stderr\n${stderr}`])];
      parts.push(
        covered([`$ tradepost ${argv.map(quoted).join(' ')}${where}\n`, ...streams].join('')),
        `[exit code ${code}]\n\n`,
      );
    },
    /** All of it. */
    text: () => parts.join(''),
  };
}

function quoted(argument: string): string {
  return /^[\w./:,=@%+-]+$/.test(argument) ? argument : `'${argument}'`;
}
