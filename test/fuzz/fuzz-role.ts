import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readResidentMemory } from '../helpers/process-usage';
import { runSchemathesis } from './schemathesis';
import { type Role, startFuzzedService } from './start-fuzzed-service';
import { buildStrictDocument } from './strict-document';

/** How much one run tests. */
export interface RunOptions {
  /** The installed Schemathesis. */
  program: string;
  /** The text of the OpenAPI document. */
  document: string;
  seed: number;
  /** See `SchemathesisOptions`. */
  maxExamples: number | null;
  /** See `SchemathesisOptions`. */
  seconds: number;
}

/** What one run found. */
export interface RunResult {
  role: string;
  /** Requests in the server's log. */
  requests: number;
  seconds: number;
  /** Resident memory of the server at the end, in MB. */
  memoryMb: number;
  /** How often each response was sent: `GET /v1/orders 200`. */
  responses: ReadonlyMap<string, number>;
  /** How many failures each exception of `exceptions.py` matched. */
  exceptions: ReadonlyMap<string, number>;
  /** What Schemathesis printed. */
  output: string;
  /** What is wrong, one sentence each. */
  faults: string[];
}

/** More than any run has needed by far; a server that keeps what it was sent needs more. */
const maxMemoryMb = 600;
/** Of the log: pino's number for `error`. */
const errorLevel = 50;

interface LogLine {
  level: number;
  msg: string;
  dropped?: number;
  method?: string;
  path?: string;
  status?: number;
}

function readLog(text: string): LogLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line): LogLine => {
    try {
      return JSON.parse(line);
    } catch {
      return { level: errorLevel, msg: line };
    }
  });
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Names a path as the document does; null for a path that it does not have. */
function findTemplate(path: string, templates: readonly string[]): string | null {
  const parts = path.split('/');
  const matches = (template: string) => {
    const expected = template.split('/');
    return (
      expected.length === parts.length &&
      expected.every((part, index) => part.startsWith('{') || part === parts[index])
    );
  };
  return templates.includes(path) ? path : (templates.find(matches) ?? null);
}

function findLogFaults(log: readonly LogLine[]): string[] {
  // The status of an attempt is that of a receiver.
  const failed = log.filter(
    ({ level, msg, status = 0 }) => level >= errorLevel || (msg === 'request' && status >= 500),
  );
  const dropped = log.some((line) => line.dropped !== undefined);
  return [
    ...failed.map((line) => `The server logged a failure: ${JSON.stringify(line)}`),
    ...(dropped ? ['The log is incomplete.'] : []),
  ];
}

async function findServerFaults(url: string, memoryMb: number): Promise<string[]> {
  const ready = await fetch(`${url}/readyz`).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return [
    ...(ready === 200 ? [] : [`The server is not ready at the end: ${ready}.`]),
    ...(memoryMb <= maxMemoryMb ? [] : [`The server has ${memoryMb} MB of resident memory.`]),
  ];
}

/** Tests one role against a server of its own. */
export async function fuzzRole(role: Role, options: RunOptions): Promise<RunResult> {
  const started = performance.now();
  const service = await startFuzzedService(role);
  try {
    const inFolder = (name: string) => join(service.folder, name);
    const document = inFolder('openapi.json');
    const exceptionsFile = inFolder('exceptions');
    await writeFile(document, buildStrictDocument(options.document, service.existingIds));
    const exit = await runSchemathesis(options.program, {
      ...options,
      document,
      url: service.url,
      apiKey: service.apiKey,
      hasAccess: service.access !== 'none',
      folder: service.folder,
      env: {
        TRADEPOST_FUZZ_DOCUMENT: document,
        TRADEPOST_FUZZ_EXCEPTIONS: exceptionsFile,
        TRADEPOST_FUZZ_ACCESS: service.access,
        TRADEPOST_FUZZ_HIDDEN_IDS: JSON.stringify(service.hiddenIds),
        TRADEPOST_FUZZ_LISTING_ID: service.listingId,
      },
    });
    const memoryMb = Math.round((await readResidentMemory(service.server.pid ?? 0)) / 2 ** 20);
    const serverFaults = await findServerFaults(service.url, memoryMb);
    const { stderr } = await service.server.stop();

    const log = readLog(stderr);
    const requests = log.filter(({ msg, path }) => msg === 'request' && path !== '/readyz');
    const templates = Object.keys(JSON.parse(options.document).paths);
    const responses = new Map<string, number>();
    for (const { method, path = '', status } of requests) {
      const template = findTemplate(path, templates);
      if (template !== null) add(responses, `${method} ${template} ${status}`);
    }
    const exceptions = new Map<string, number>();
    const lines = await readFile(exceptionsFile, 'utf8').catch(() => '');
    for (const [, name = '', count] of lines.matchAll(/^(\S+) (\d)$/gm)) {
      add(exceptions, name, Number(count));
    }
    const faults = [...findLogFaults(log), ...serverFaults];
    if (exit.fault !== null) faults.push(exit.fault);
    return {
      role: role.name,
      requests: requests.length,
      seconds: Math.round((performance.now() - started) / 1000),
      memoryMb,
      responses,
      exceptions,
      output: exit.output,
      faults,
    };
  } finally {
    await service.close();
  }
}
