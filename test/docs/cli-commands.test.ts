import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { helpSections } from '../../packages/cli/src/command-tree';
import { checkout } from '../helpers/programs';

/** The commands that help lists, such as `orders list`. */
function listCommands(): string[] {
  const nouns = Object.values(helpSections).flatMap((section) => Object.entries(section));
  return nouns.flatMap(([name, entry]) => {
    if ('commands' in entry) return Object.keys(entry.commands).map((verb) => `${name} ${verb}`);
    return entry.hidden ? [] : [name];
  });
}

/** The commands in the first column of the table. In one row, later commands may leave out the noun. */
function readRows(readme: string): string[] {
  const [, section = ''] = readme.split('\n## Commands\n');
  const [table = ''] = section.split('\n## ');
  return table.split('\n').flatMap((line) => {
    const [, cell = ''] = line.split('|');
    let noun = '';
    return [...cell.matchAll(/`([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g)].map(
      ([, first = '', verb]) => {
        if (verb !== undefined) noun = first;
        return verb === undefined && noun !== ''
          ? `${noun} ${first}`
          : [first, verb].join(' ').trim();
      },
    );
  });
}

it("the CLI's README has a row for each command and for no other", async () => {
  const readme = await readFile(join(checkout, 'packages/cli/README.md'), 'utf8');
  // `help TOPIC` is one command.
  const rows = readRows(readme).map((row) => row.replace(/^help .*/, 'help'));
  expect([...new Set(rows)].sort()).toEqual(listCommands().sort());
});
