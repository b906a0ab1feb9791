import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { checkout } from '../helpers/programs';

const packages = readdirSync(join(checkout, 'packages'));

/** Lists the texts of a file, with `{}` for what is filled in. */
function listTexts(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.map(({ literal }) => `{}${literal.text}`);
      texts.push(`${node.head.text}${spans.join('')}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** A sentence has at least four words and 32 characters. */
const isSentence = (text: string) => text.length >= 32 && text.trim().split(/\s+/).length >= 4;

/** Lists the sentences in the sources of a package. */
function listSentences(name: string): Set<string> {
  const folder = join(checkout, 'packages', name, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
  return new Set(files.flatMap(listTexts).filter(isSentence));
}

test('no message is written in two packages', () => {
  const sentences = packages.map((name) => ({ name, texts: listSentences(name) }));
  const found = new Map<string, string[]>();
  for (const { name, texts } of sentences) {
    for (const text of texts) found.set(text, [...(found.get(text) ?? []), name]);
  }
  expect(found.size).toBeGreaterThan(500);
  expect([...found].filter(([, names]) => names.length > 1)).toEqual([]);
});
