import type { Snippet } from './snippets';

/** A command in a snippet. */
export interface Command {
  /** The text for the shell, including continuation lines and comments. */
  text: string;
  /** The lines that a `console` snippet shows below it; undefined in `sh`, which shows none. */
  output: string[] | undefined;
  /** The exit code that the snippet shows below `$ echo $?`. Defaults to 0. */
  exitCode: number;
}

/** Finds the commands of a snippet in `sh` or `console`, in order. */
export function findCommands(snippet: Snippet): Command[] {
  return snippet.language === 'console' ? parseConsole(snippet) : parseScript(snippet);
}

const isContinued = (text: string | undefined) => text?.endsWith('\\') ?? false;

function parseScript({ code }: Snippet): Command[] {
  const commands: Command[] = [];
  for (const line of code.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (last !== undefined && isContinued(last.text)) last.text += `\n${line}`;
    else if (/^\s*[^\s#]/.test(line)) commands.push({ text: line, output: undefined, exitCode: 0 });
  }
  return commands;
}

function parseConsole({ readme, line: start, code }: Snippet): Command[] {
  const commands: { text: string; output: string[]; exitCode: number }[] = [];
  for (const line of code.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (line.startsWith('$ ')) commands.push({ text: line.slice(2), output: [], exitCode: 0 });
    else if (last === undefined)
      throw new Error(`${readme}:${start} shows output without a command.`);
    else if (last.output.length === 0 && isContinued(last.text)) last.text += `\n${line}`;
    else last.output.push(line);
  }
  // `echo $?` shows the exit code of the command before it.
  for (const [index, { text, output }] of commands.entries()) {
    const before = commands[index - 1];
    if (text.trim() === 'echo $?' && before) before.exitCode = Number(output.join());
  }
  return commands.filter(({ text }) => text.trim() !== 'echo $?');
}

/** The kind of a command, which decides how a README is checked. */
export type CommandKind =
  /** Installs packages, which have to be published from here. */
  | { kind: 'install'; packages: string[] }
  /** Sets an environment variable, which a program has to read. */
  | { kind: 'setting'; variable: string }
  /** Runs an npm script: of the root, which CI runs, or of a folder, which the test runs. */
  | { kind: 'script'; script: string; folder: string; settings: string; args: string }
  /** Runs to its end. */
  | { kind: 'plain' };

const install = /^npm (?:install|i)((?: +[^\s#]+)+)/;
const setting = /^export (\w+)=/;
const script =
  /^((?:\w+=\S+ +)*)npm (?:--prefix (\S+) )?(?:run (?:--silent )?(\S+)|(start|test)\b)(?: -- ([^#]*))?/;

/** Returns the kind of a command. */
export function classifyCommand(text: string): CommandKind {
  const installed = install.exec(text)?.[1];
  if (installed !== undefined) {
    const packages = installed.trim().split(/ +/);
    return { kind: 'install', packages: packages.filter((name) => !name.startsWith('-')) };
  }
  const variable = setting.exec(text)?.[1];
  if (variable !== undefined) return { kind: 'setting', variable };
  const run = script.exec(text);
  if (run === null) return { kind: 'plain' };
  const [, settings = '', folder = '', name, short = '', args = ''] = run;
  return { kind: 'script', script: name ?? short, folder, settings, args: args.trim() };
}

/** What a long-running command writes when it is ready, and where. */
interface ReadySignal {
  pattern: RegExp;
  stream: 'stdout' | 'stderr';
}

/** Commands that run until they are stopped. */
const longRunning: readonly { command: RegExp; ready: ReadySignal }[] = [
  { command: /^tradepost-server start\b/, ready: onStdout(/^listening on /m) },
  {
    command: /\bnpm --prefix examples run --silent receiver\b/,
    ready: onStdout(/^listening on /m),
  },
  {
    command: /\bnpm --prefix examples run --silent follow\b/,
    ready: onStdout(/\bis pending\.$/m),
  },
  { command: /^tradepost orders watch\b/, ready: onStdout(/\bord_\w+/) },
  {
    command: /^tradepost webhooks listen\b/,
    ready: { pattern: /^Forwarding events to /m, stream: 'stderr' },
  },
];

function onStdout(pattern: RegExp): ReadySignal {
  return { pattern, stream: 'stdout' };
}

/** Returns what a long-running command writes when it is ready; undefined for other commands. */
export function findReadySignal(command: string): ReadySignal | undefined {
  return longRunning.find((candidate) => candidate.command.test(command))?.ready;
}

/** The values of a README's placeholders. */
export interface PlaceholderValues {
  /** The base URL of the real server. */
  baseUrl: string;
  /** A webhook's secret. */
  secret: string;
  buyer: { id: string; apiKey: string };
  seller: { id: string; apiKey: string };
  agent: { id: string; apiKey: string };
  /** Real IDs by prefix, such as `{ key: ['key_…'] }`: the first one fills `key_…`. */
  ids: Record<string, readonly string[]>;
}

/**
 * Fills in the placeholders of a README: `<the seller's>` key, `<the secret>`, `--seller usr_…`, `key_…`, the
 * URL of the service, and port 0. Throws if a placeholder has no value.
 */
export function fillIn(text: string, values: PlaceholderValues): string {
  return text
    .replace(
      /<the (buyer|seller|agent)'s>/g,
      (_, account: 'buyer' | 'seller' | 'agent') => values[account].apiKey,
    )
    .replace(/<the secret>/g, values.secret)
    .replace(
      /--(buyer|seller|agent) usr_…/g,
      (_, account: 'buyer' | 'seller' | 'agent') => `--${account} ${values[account].id}`,
    )
    .replace(/\b([a-z]{3})_…/g, (placeholder, kind: string) => {
      const real = values.ids[kind]?.[0];
      if (real === undefined) throw new Error(`There is no value for ${placeholder}.`);
      return real;
    })
    .replace(/https:\/\/trade\.example|http:\/\/127\.0\.0\.1:4010/g, values.baseUrl)
    .replace(/--port \d+/g, '--port 0');
}
