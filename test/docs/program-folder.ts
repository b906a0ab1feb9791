import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { checkout } from '../helpers/programs';
import { runProcess } from '../helpers/start-process';
import type { Snippet } from './snippets';

/** The snippets that are programs, as files. */
export interface ProgramFolder {
  /** The file of a snippet. */
  getFile(snippet: Snippet): string;
  /**
   * Checks the types of all TypeScript snippets together, as strictly as the packages.
   *
   * @returns The compiler's exit code and output, with positions in the READMEs.
   */
  checkTypes(): Promise<{ code: number | null; output: string }>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

const getFileName = ({ readme, line, language }: Snippet) =>
  `${readme.replace(/\.md$/, '').replaceAll('/', '-').toLowerCase()}-${line}.m${language}`;

/** Returns the file that Node runs. TypeScript is compiled once, since a loader would do it at each start. */
export function getRunnableFile(path: string): string {
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
  await writeFile(getRunnableFile(path), code);
}

/** Writes programs into a folder within `test/`, from which the packages of this checkout resolve. */
export async function writePrograms(programs: readonly Snippet[]): Promise<ProgramFolder> {
  const folder = await mkdtemp(join(checkout, 'test/.snippets-'));
  const files = programs.flatMap((snippet) => {
    const path = join(folder, getFileName(snippet));
    const source = writeFile(path, snippet.code);
    return path.endsWith('.mts') ? [source, writeCompiled(path, snippet.code)] : [source];
  });
  const settings = { extends: join(checkout, 'tsconfig.base.json'), include: ['*.mts'] };
  await Promise.all([...files, writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))]);
  const snippetByFile = new Map(programs.map((snippet) => [getFileName(snippet), snippet]));
  return {
    getFile: (snippet) => join(folder, getFileName(snippet)),
    async checkTypes() {
      // The compiler that checks the packages: it needs half the processor time of the one written in JavaScript.
      const compiler = [join(checkout, 'node_modules/typescript-native/bin/tsc'), '--noEmit'];
      const { code, stdout, stderr } = await runProcess(process.execPath, compiler, {
        cwd: folder,
      });
      const output = `${stdout}${stderr}`.replace(
        /^(\S+)\((\d+),(\d+)\)/gm,
        (position, name, row, column) => {
          const snippet = snippetByFile.get(name);
          return snippet ? `${snippet.readme}:${snippet.line + Number(row)}:${column}` : position;
        },
      );
      return { code, output };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
