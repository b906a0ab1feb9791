import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { checkout } from '../helpers/programs';
import { runProcess } from '../helpers/start-process';
import type { Snippet } from './find-snippets';

const require = createRequire(import.meta.url);

/** The snippets that are programs, as files. */
export interface ProgramFolder {
  /** The file of a snippet. */
  fileOf(snippet: Snippet): string;
  /**
   * Checks the types of all TypeScript snippets together, as strictly as our own.
   *
   * @returns What the compiler ended with, and what it said, at places of the READMEs.
   */
  checkTypes(): Promise<{ code: number | null; said: string }>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

const nameOf = ({ readme, line, language }: Snippet) =>
  `${readme.replace(/\.md$/, '').replaceAll('/', '-').toLowerCase()}-${line}.m${language}`;

/** The file that Node runs for a program: a TypeScript one is compiled, which a loader would do at each start. */
export function runnableFile(path: string): string {
  return path.replace(/\.mts$/, '.compiled.mjs');
}

async function writeCompiled(path: string, source: string): Promise<void> {
  const { code } = await transform(source, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcefile: path,
  });
  await writeFile(runnableFile(path), code);
}

/** Writes programs into a folder within `test/`, where the packages of this checkout are found. */
export async function writePrograms(programs: readonly Snippet[]): Promise<ProgramFolder> {
  const folder = await mkdtemp(join(checkout, 'test/.snippets-'));
  const files = programs.flatMap((snippet) => {
    const path = join(folder, nameOf(snippet));
    const source = writeFile(path, snippet.code);
    return path.endsWith('.mts') ? [source, writeCompiled(path, snippet.code)] : [source];
  });
  const settings = { extends: join(checkout, 'tsconfig.base.json'), include: ['*.mts'] };
  await Promise.all([...files, writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))]);
  const placeOf = new Map(programs.map((snippet) => [nameOf(snippet), snippet]));
  return {
    fileOf: (snippet) => join(folder, nameOf(snippet)),
    async checkTypes() {
      const compiler = [require.resolve('typescript/bin/tsc'), '--noEmit'];
      const { code, stdout, stderr } = await runProcess(process.execPath, compiler, {
        cwd: folder,
      });
      const said = `${stdout}${stderr}`.replace(
        /^(\S+)\((\d+),(\d+)\)/gm,
        (place, name, row, column) => {
          const snippet = placeOf.get(name);
          return snippet ? `${snippet.readme}:${snippet.line + Number(row)}:${column}` : place;
        },
      );
      return { code, said };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
