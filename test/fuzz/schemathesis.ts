import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkout } from '../helpers/programs';
import { type Exit, runProcess, startProcess } from '../helpers/start-process';

const here = fileURLToPath(new URL('.', import.meta.url));
const requirements = join(here, 'requirements.txt');

/** What Schemathesis requires. */
const minimumPython = [3, 11] as const;

/** Thrown when Schemathesis cannot run on this machine. Nothing was tested then. */
export class MissingToolError extends Error {
  override name = 'MissingToolError' as const;
}

async function run(command: string, args: readonly string[]): Promise<Exit | null> {
  try {
    return await runProcess(command, args);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function readPythonVersion(): Promise<string> {
  const print = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';
  const exit = await run('python3', ['-c', print]);
  const [major = 0, minor = 0] = exit?.stdout.split('.').map(Number) ?? [];
  const [minimumMajor, minimumMinor] = minimumPython;
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) {
    return exit?.stdout.trim() ?? '';
  }
  const found = exit?.code === 0 ? `python3 is ${exit.stdout.trim()}` : 'There is no python3';
  throw new MissingToolError(`${found}. Install Python ${minimumPython.join('.')} or later.`);
}

async function runInstaller(command: string, args: readonly string[], what: string): Promise<void> {
  const exit = await run(command, args);
  if (exit?.code === 0) return;
  const output = exit === null ? `${command} does not exist` : `${exit.stdout}${exit.stderr}`;
  throw new MissingToolError(`${what} failed:\n${output.trim()}`);
}

/**
 * Installs the pinned Schemathesis into `node_modules/.cache`, unless it is there, and returns its program.
 *
 * @throws MissingToolError if there is no Python for it, or if it cannot be downloaded.
 */
export async function installSchemathesis(): Promise<string> {
  const python = await readPythonVersion();
  const pinned = await readFile(requirements, 'utf8');
  const key = createHash('sha256').update(`${python}\n${pinned}`).digest('hex').slice(0, 12);
  const folder = join(checkout, 'node_modules', '.cache', `schemathesis-${key}`);
  const [bin, suffix] = process.platform === 'win32' ? ['Scripts', '.exe'] : ['bin', ''];
  const complete = join(folder, 'complete');
  if (!existsSync(complete)) {
    await rm(folder, { recursive: true, force: true });
    await runInstaller('python3', ['-m', 'venv', folder], 'Creating a Python environment');
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    const installed = join(folder, bin, `python${suffix}`);
    await runInstaller(installed, [...pip, '-r', requirements], 'Installing Schemathesis');
    await writeFile(complete, '');
  }
  return join(folder, bin, `schemathesis${suffix}`);
}

/** What Schemathesis tests, and how much. */
export interface SchemathesisOptions {
  /** The OpenAPI document. */
  document: string;
  /** The base URL of the service. */
  url: string;
  /** The API key; null for requests without one. */
  apiKey: string | null;
  seed: number;
  /** How many requests to generate for an operation in the phase `fuzzing`. Without it, all phases repeat for `seconds`. */
  maxExamples: number | null;
  /** Whether any request may succeed. Without that, no link is followed, and the phase `stateful` repeats `fuzzing`. */
  hasAccess: boolean;
  /** The duration without `maxExamples`; otherwise the run is ended and fails after it. */
  seconds: number;
  /** An empty folder for its working files. */
  folder: string;
  /** Variables that `checks.py` reads. */
  env: Record<string, string>;
}

/** A scenario of the phase `stateful` starts with one operation and follows links, so there are more of them. */
const scenariosPerExample = 4;

/** Seconds that a run may take beyond `seconds` to shrink its failures and print them. */
const graceSeconds = 120;

/** One start of Schemathesis. */
interface Part {
  phases: string;
  seed: number;
}

/**
 * Of the parts of a run with `maxExamples`. The phase `stateful` has several, because Schemathesis ends it once a scenario
 * that it repeats went another way, as it does after tens of them: the server has changed, and new IDs are random. For
 * `seconds`, Schemathesis repeats all phases itself.
 */
function listParts({ seed, maxExamples, hasAccess }: SchemathesisOptions): readonly Part[] {
  const first = 'examples,coverage,fuzzing';
  if (!hasAccess) return [{ phases: first, seed }];
  if (maxExamples === null) return [{ phases: `${first},stateful`, seed }];
  const stateful = [1, 2, 3, 4, 5].map((part) => ({ phases: 'stateful', seed: seed * 10 + part }));
  return [{ phases: first, seed }, ...stateful];
}

/** How a run ended. */
export interface SchemathesisExit {
  /** What is wrong with how it ended; null if Schemathesis found nothing. */
  fault: string | null;
  output: string;
}

/** Runs all checks of Schemathesis, and those of `checks.py`, in all its phases. It ends with the first part that fails. */
export async function runSchemathesis(
  program: string,
  options: SchemathesisOptions,
): Promise<SchemathesisExit> {
  const { maxExamples, folder } = options;
  const config = join(folder, 'schemathesis.toml');
  const scenarios =
    maxExamples === null ? '' : `generation.max-examples = ${maxExamples * scenariosPerExample}\n`;
  await writeFile(config, `[phases.stateful]\nmax-steps = 8\n${scenarios}`);
  let output = '';
  for (const part of listParts(options)) {
    const exit = await runPart(program, config, part, options);
    output += exit.output;
    if (exit.fault !== null) return { fault: exit.fault, output };
  }
  return { fault: null, output };
}

async function runPart(
  program: string,
  config: string,
  { phases, seed }: Part,
  { document, url, apiKey, maxExamples, seconds, folder, env }: SchemathesisOptions,
): Promise<SchemathesisExit> {
  const child = startProcess(
    program,
    [
      ...['--config-file', config],
      ...['run', document, '--url', url, '--seed', String(seed), '--no-color'],
      ...['--checks', 'all', '--phases', phases],
      ...(maxExamples === null
        ? ['--max-time', String(seconds)]
        : ['--max-examples', String(maxExamples)]),
      ...(apiKey === null ? [] : ['--header', `Authorization: Bearer ${apiKey}`]),
      // What earlier runs found must not change this one.
      ...['--generation-database', 'none', '--generation-with-security-parameters', 'false'],
      // The database is deleted after the run, so its keys are no secrets, and a hidden header could not be repeated.
      ...['--output-sanitize', 'false', '--continue-on-failure', '--warnings', 'off'],
      // Long polls take 30 s at most.
      ...['--request-timeout', '40', '--suppress-health-check', 'all'],
    ],
    {
      cwd: folder,
      env: {
        ...env,
        PYTHONPATH: here,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'checks',
      },
    },
  );
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      void child.stop('SIGKILL');
    },
    (seconds + graceSeconds) * 1000,
  );
  const { code, signal, stdout, stderr } = await child.exit;
  clearTimeout(timer);
  const output = `${stdout}${stderr}`;
  if (timedOut) return { fault: 'Schemathesis did not end in time.', output };
  return { fault: code === 0 ? null : `Schemathesis exited with ${code ?? signal}.`, output };
}
