import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { temporaryFolder } from '../helpers/temporary-folder';
import { checkCommands } from './check-commands';
import { checkProgram } from './check-program';
import { findCommands } from './find-commands';
import type { Snippet } from './find-snippets';
import { kindOfCommand } from './kind-of-command';
import { kindOf, knownLanguages } from './language-kinds';
import { type ProgramFolder, writePrograms } from './program-folder';
import { readReadmes } from './read-readmes';
import { type ReadmeWorld, type Service, startService } from './start-service';

const readmes = await readReadmes();
const isProgram = ({ language }: Snippet) => kindOf(language) === 'program';

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

/** Whether something of it runs, rather than names a package, a script or a variable. */
function isRun(snippet: Snippet): boolean {
  if (isProgram(snippet)) return true;
  if (kindOf(snippet.language) !== 'commands') return false;
  return findCommands(snippet).some(({ text }) => kindOfCommand(text).kind === 'plain');
}

// READMEs side by side, each in a world of its own. The snippets of one build on one another, as they
// do for its reader: in their order.
describe.concurrent.each(readmes)('$name', { timeout: 60_000 }, ({ name, snippets }) => {
  const isOfPackage = name.startsWith('packages/');
  let world: ReadmeWorld;

  beforeAll(async () => {
    world = await service.addWorld();
  });

  async function checkInFolder(snippet: Snippet): Promise<void> {
    // What belongs to no package is read, and run, in the checkout.
    if (!isOfPackage) return await checkCommands(snippet, world, checkout);
    const folder = await temporaryFolder();
    try {
      await checkCommands(snippet, world, folder.path);
    } finally {
      await folder.remove();
    }
  }

  test.sequential(`${name} has ${isOfPackage ? 'a snippet that is run' : 'snippets'}`, () => {
    expect(isOfPackage ? snippets.filter(isRun) : snippets).not.toEqual([]);
  });

  for (const snippet of snippets) {
    const { language, line, code } = snippet;
    const title = `${name}:${line} (${language || 'no language'})`;
    const kind = kindOf(language);

    if (kind === 'program') {
      test.sequential(`${title} runs`, () =>
        checkProgram(programs.fileOf(snippet), code, world.programEnvironment));
    } else if (kind === 'commands') {
      test.sequential(`${title} runs`, () => checkInFolder(snippet));
    } else if (kind === 'document') {
      test.sequential(`${title} parses`, () => {
        expect(JSON.parse(code)).toBeTypeOf('object');
      });
    } else if (kind === 'setting') {
      // Settings that a README asks of its reader are those that everything here is tested with.
      test.sequential(`${title} is set in this workspace too`, async () => {
        expect(await readFile(join(checkout, 'pnpm-workspace.yaml'), 'utf8')).toContain(code);
      });
    } else if (kind === 'shown') {
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

test.concurrent('the TypeScript snippets of all READMEs have sound types', async () => {
  expect(await programs.checkTypes()).toEqual({ code: 0, said: '' });
}, 60_000);
