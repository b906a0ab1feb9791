import { findMissingLines } from '../docs/output';
import { readReadmes } from '../docs/snippets';

const readmes = await readReadmes();
const readme = readmes.find(({ name }) => name === 'packages/conformance/README.md');

/** Returns the lines of the block of the README that begins with a text and that a report does not have in this order. */
export function findLinesOnlyInReadme(start: string, report: string): string[] {
  const block = readme?.snippets.find(({ code }) => code.startsWith(start));
  if (block === undefined) throw new Error(`The README has no block that begins with "${start}".`);
  return findMissingLines(block.code.trimEnd().split('\n'), report);
}
