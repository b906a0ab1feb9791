import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout, tradepostServerBin } from '../helpers/programs';
import { runProcess } from '../helpers/start-process';

/** The folder of what operators deploy. */
export const deployFolder = join(checkout, 'packages/server/deploy');

/** Reads a file of the folder. */
export const readDeployFile = (name: string) => readFileSync(join(deployFolder, name), 'utf8');

/** The Dockerfile: its instructions, and the variables that it sets. */
export interface Dockerfile {
  /** Returns the arguments of all instructions with a name, in order. */
  find(name: string): string[];
  environment: Record<string, string>;
}

/** Reads the Dockerfile of the server. */
export function readDockerfile(): Dockerfile {
  // Instructions without comments, each in one line.
  const instructions = readDeployFile('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const find = (name: string) =>
    instructions
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));
  const environment = Object.fromEntries(
    find('ENV').flatMap((line) =>
      line.split(' ').map((pair) => pair.split('=') as [string, string]),
    ),
  );
  return { find, environment };
}

/** Reads after how many seconds a server that was told to stop ends itself. */
export function readStopDeadline(): number {
  const start = readFileSync(join(checkout, 'packages/server/src/commands/start.ts'), 'utf8');
  return Number(/stopDeadlineMs = ([\d_]+)/.exec(start)?.[1]?.replaceAll('_', '')) / 1_000;
}

/** What the help of a command of `tradepost-server` says. */
export interface CommandHelp {
  /** Its options, such as `--role`. */
  options: string[];
  /** The environment variables that it reads. */
  variables: string[];
  /** The paths that `--metrics-port` serves. */
  metricsPaths: string[];
  /** The values of `--role`. */
  roles: string[];
}

/** Reads the help of a command of `tradepost-server`. */
export async function readCommandHelp(command: string): Promise<CommandHelp> {
  const { code, stdout } = await runProcess(process.execPath, [
    tradepostServerBin,
    command,
    '--help',
  ]);
  if (code !== 0) throw new Error(`tradepost-server ${command} --help ended with ${code}.`);
  const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(
    ([, option = '']) => option,
  );
  // Long lines are broken.
  const text = stdout.replaceAll(/\s+/g, ' ');
  const variables = [...text.matchAll(/\benv: (\w+)/g)].map(([, variable = '']) => variable);
  const [, metrics = ''] = /--metrics-port <port> (.*?) --/.exec(text) ?? [];
  const [, roles = ''] = /--role <role>.*?choices: ([^)]*?), default/.exec(text) ?? [];
  return {
    options,
    variables,
    metricsPaths: metrics.match(/\/\w+/g) ?? [],
    roles: [...roles.matchAll(/"(\w+)"/g)].map(([, role = '']) => role),
  };
}

/**
 * Returns whether an image is named with an exact version and its digest, and without the host of a registry. PostgreSQL's versions
 * have two numbers.
 */
export function isExactImage(image: string): boolean {
  return /^(?:postgres:\d+\.\d+|(?:[a-z0-9-]+\/)?[a-z0-9-]+:v?\d+\.\d+\.\d+)(?:-[a-z0-9.]+)*@sha256:[0-9a-f]{64}$/.test(
    image,
  );
}

/** Returns the lines of a file that have a password or another secret, rather than where it is. */
export function findSecrets(text: string): string[] {
  const patterns = [
    // A URL with a password.
    /:\/\/[^\s:/@]*:[^\s/@]+@/,
    // A value, not a path, a mapping or the variable of another file.
    /(?:password|secret_key|api_?key|\btoken|_token)["']?(?: *[:=]|, value:) *["']?[^\s"'/{}$]/i,
    /\btpk_|\bwhsec_|-----BEGIN/,
  ];
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line) && patterns.some((pattern) => pattern.test(line)));
}
