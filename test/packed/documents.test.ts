import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import GithubSlugger from 'github-slugger';
import { lexer, type Token, walkTokens } from 'marked';
import { describe, expect, inject, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { packageFolders } from './pack-packages';

const website = 'https://github.com/tradepost/tradepost';
function readPacked(name: string, file: string): string {
  return readFileSync(join(inject('packedPackages'), name, file), 'utf8');
}

function listTokens(markdown: string): Token[] {
  const tokens: Token[] = [];
  void walkTokens(lexer(markdown), (token) => {
    tokens.push(token);
  });
  return tokens;
}

function getText(token: Token): string {
  if (!('tokens' in token && token.tokens)) return 'text' in token ? token.text : '';
  return token.tokens.map(getText).join('');
}

/** The anchors that GitHub and npm give to the headings of a document. */
function listAnchors(markdown: string): string[] {
  const slugger = new GithubSlugger();
  return listTokens(markdown)
    .filter(({ type }) => type === 'heading')
    .map((heading) => slugger.slug(getText(heading)));
}

function listAddresses(markdown: string, kind: 'link' | 'image'): string[] {
  return listTokens(markdown).flatMap((token) => (token.type === kind ? [token.href] : []));
}

/** Each document of each package. */
const documents = packageFolders.flatMap((name) =>
  readdirSync(join(inject('packedPackages'), name))
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ name, file, text: readPacked(name, file) })),
);

test('each package has a README and a CHANGELOG', () => {
  const names = documents.map(({ name, file }) => `${name}/${file}`);
  for (const name of packageFolders) {
    expect(names).toEqual(expect.arrayContaining([`${name}/README.md`, `${name}/CHANGELOG.md`]));
  }
});

test('the documents have links into the repository', () => {
  const addresses = documents.flatMap(({ text }) => listAddresses(text, 'link'));
  expect(addresses.filter((address) => address.startsWith(website)).length).toBeGreaterThan(15);
});

describe.each(documents)('$file of the packed $name', ({ name, file, text }) => {
  const manifest = JSON.parse(readPacked(name, 'package.json'));
  const tag = `${manifest.name}@${manifest.version}`;

  test('has only absolute links, and links to sections that it has', () => {
    const anchors = listAnchors(text);
    for (const address of listAddresses(text, 'link')) {
      if (address.startsWith('#')) expect(anchors).toContain(address.slice(1));
      else expect(address).toMatch(/^(https|mailto):/);
    }
  });

  test('links to files and sections of the repository that exist, in the version of the package', () => {
    const addresses = listAddresses(text, 'link').filter((address) => address.startsWith(website));
    for (const address of addresses) {
      expect(address).toMatch(new RegExp(`^${website}/blob/${tag}/`));
      const [path = '', anchor] = address.slice(`${website}/blob/${tag}/`.length).split('#');
      expect(existsSync(join(checkout, path)), path).toBe(true);
      if (anchor === undefined) continue;
      expect(listAnchors(readFileSync(join(checkout, path), 'utf8'))).toContain(anchor);
    }
  });

  test('shows images from absolute addresses of files', () => {
    for (const address of listAddresses(text, 'image')) {
      expect(address).toMatch(/^https:\/\//);
      expect(address).not.toContain('/blob/');
    }
  });

  test('has no link in HTML, which would stay relative', () => {
    const html = listTokens(text).filter(({ type }) => type === 'html');
    for (const { raw } of html) expect(raw).not.toMatch(/\b(href|src|srcset)\s*=/);
  });

  test('has the text of the checkout apart from the links', () => {
    const source = readFileSync(join(checkout, 'packages', name, file), 'utf8');
    const withoutAddresses = (markdown: string) => markdown.replace(/\]\([^)]*\)/g, ']()');
    expect(withoutAddresses(text)).toBe(withoutAddresses(source));
  });
});
