import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { temporaryFolder } from '../helpers/temporary-folder';
import { checkCommands } from './check-commands';
import { classifyCommand, findCommands } from './commands';
import { type ProgramFolder, writePrograms } from './program-folder';
import { checkProgram } from './run-program';
import { getKind, knownLanguages, type Readme, type Snippet } from './snippets';
import { type ReadmeContext, type Service, startService } from './start-service';

const isProgram = ({ language }: Snippet) => getKind(language) === 'program';

/** Whether the test runs something of it, instead of only checking a name. */
function isRun(snippet: Snippet): boolean {
  if (isProgram(snippet)) return true;
  if (getKind(snippet.language) !== 'commands') return false;
  return findCommands(snippet).some(({ text }) => classifyCommand(text).kind === 'plain');
}

/** Whether it is the README of a package that its users install. */
function isPublished(name: string): boolean {
  if (!name.startsWith('packages/')) return false;
  const settings = readFileSync(join(checkout, name, '../package.json'), 'utf8');
  return !(JSON.parse(settings) as { private?: boolean }).private;
}

/** The READMEs of which `npm test` checks all snippets. The slow test checks the others, which start many servers. */
export const isFirst = ({ name }: Readme) => /^(README|packages\/(sdk|cli)\/.*)\.md$/.test(name);

/** Runs the snippets of these READMEs, and compiles those in TypeScript. */
export function describeReadmes(readmes: readonly Readme[]): void {
  let programs: ProgramFolder;
  let service: Service;

  beforeAll(async () => {
    programs = await writePrograms(readmes.flatMap(({ snippets }) => snippets.filter(isProgram)));
    return programs.remove;
  });

  beforeAll(async () => {
    service = await startService();
    return service.close;
  });

  // READMEs run in parallel, each with its own demo data. The snippets of one README run in order, since they
  // build on one another.
  // A README without snippets has nothing to run.
  describe.concurrent.each(
    readmes.filter(({ name, snippets }) => isPublished(name) || snippets.length > 0),
  )('$name', { timeout: 60_000 }, ({ name, snippets }) => {
    const isUserDocument = /^(packages|site)\//.test(name);
    let context: ReadmeContext;

    beforeAll(async () => {
      context = await service.addReadme();
    });

    async function checkInFolder(snippet: Snippet): Promise<void> {
      // The READMEs of the repository and its examples are read in the checkout, so their commands run there.
      if (!isUserDocument) return await checkCommands(snippet, context, checkout);
      const folder = await temporaryFolder();
      try {
        await checkCommands(snippet, context, folder.path);
      } finally {
        await folder.remove();
      }
    }

    if (isPublished(name)) {
      test.sequential(`${name} has a snippet that runs`, () => {
        expect(snippets.filter(isRun)).not.toEqual([]);
      });
    }

    for (const snippet of snippets) {
      const { language, line, code } = snippet;
      const title = `${name}:${line} (${language || 'no language'})`;
      const kind = getKind(language);

      if (kind === 'program') {
        test.sequential(`${title} runs`, () =>
          checkProgram(programs.getFile(snippet), code, context.programEnvironment));
      } else if (kind === 'commands') {
        test.sequential(`${title} runs`, () => checkInFolder(snippet));
      } else if (kind === 'document') {
        test.sequential(`${title} parses`, () => {
          expect(JSON.parse(code)).toBeTypeOf('object');
        });
      } else if (kind === 'setting') {
        // The settings that a README recommends are those of this workspace.
        test.sequential(`${title} is set in this workspace too`, async () => {
          expect(await readFile(join(checkout, 'pnpm-workspace.yaml'), 'utf8')).toContain(code);
        });
      } else if (kind === 'shown' || kind === 'foreign') {
        test.sequential(`${title} shows something`, () => {
          expect(code.trim()).not.toBe('');
        });
      } else {
        test.sequential(`${title} is in a language that is tested`, () => {
          expect(knownLanguages).toContain(language);
        });
      }
    }
  });

  test.concurrent('the TypeScript snippets compile', async () => {
    expect(await programs.checkTypes()).toEqual({ code: 0, output: '' });
  }, 60_000);
}
