import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { allEventTypes } from '@tradepost/contract/wire';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import GithubSlugger from 'github-slugger';
import { beforeAll, describe, expect, test } from 'vitest';
import { reference, repository } from '../../site/pages';
import { sampleDelivery } from '../../site/reference/sample-delivery';
import { listExports } from '../../site/reference/sdk-modules';
import { type ReferencePage, writeReference } from '../../site/reference/write-reference';
import { forTest } from '../helpers/for-test';
import { readCommands } from '../helpers/read-commands';
import { runOperator } from '../helpers/run-server-command';
import { temporaryFolder } from '../helpers/temporary-folder';
import { writePrograms } from './program-folder';
import { findSnippets } from './snippets';

let pages: ReferencePage[];
let folder: string;
const texts = new Map<string, string>();

beforeAll(async () => {
  const { path, remove } = await temporaryFolder();
  folder = path;
  pages = await writeReference(folder);
  for (const page of pages) texts.set(page.path, await readFile(join(folder, page.path), 'utf8'));
  return remove;
  // The compiler reads all packages.
}, 180_000);

function getText(path: string): string {
  const text = texts.get(path);
  if (text === undefined) throw new Error(`The reference has no page ${path}.`);
  return text;
}

/** The page without its fenced blocks and code spans. */
function readProse(text: string): string {
  return text
    .replace(/^---\n.*?\n---\n/s, '')
    .replace(/^```.*?^```$/gms, '')
    .replace(/(`+)[^`\n].*?\1/g, '');
}

/** The places of a page that a link can lead to. */
function listAnchors(text: string): Set<string> {
  const prose = text.replace(/^```.*?^```$/gms, '');
  const slugger = new GithubSlugger();
  const headings = [...prose.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) =>
    slugger.slug(title.replaceAll('`', '')),
  );
  const named = [...prose.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id);
  return new Set([...headings, ...named]);
}

test('the reference has pages of all groups, each written once, with a title and a description', () => {
  expect(new Set(pages.map(({ group }) => group))).toEqual(
    new Set(['api', 'events', 'schemas', 'sdk', 'cli']),
  );
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
  for (const { path, title } of pages) {
    const [, front = ''] = getText(path).split('---\n');
    expect(front, path).toContain(`title: ${JSON.stringify(title)}\n`);
    expect(front, path).toMatch(/^description: "[^"].*\."$/m);
    expect(readProse(getText(path)).length, path).toBeGreaterThan(150);
  }
});

test('no page has what a compiler of Markdown takes for a tag or an expression', () => {
  for (const [path, text] of texts) {
    const prose = readProse(text).replace(/<a id="[\w-]+"><\/a>/g, '');
    // A backslash before it makes it text.
    expect(prose.match(/(?<!\\)<[a-z/!]|\{\{/gi), path).toBeNull();
  }
});

test('no link between the pages is dead', async () => {
  const files = (await readdir(folder, { recursive: true })).map((name) =>
    name.replaceAll('\\', '/'),
  );
  const dead = [...texts].flatMap(([path, text]) =>
    [...text.replace(/^```.*?^```$/gms, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
      ([, target = '']) => {
        if (/^https?:/.test(target)) return [];
        const [file = '', anchor] = target.split('#');
        const found = file === '' ? path : posix.join(posix.dirname(path), file);
        // A guide, from where the site has the reference.
        if (found.startsWith('../') && existsSync(join(repository, reference, found))) return [];
        if (!files.includes(found)) return [`${path}: ${target}`];
        if (anchor === undefined) return [];
        return listAnchors(getText(found)).has(anchor) ? [] : [`${path}: ${target}`];
      },
    ),
  );
  expect(dead).toEqual([]);
});

describe('the event catalogue', () => {
  test.each(allEventTypes)('has a page of %s, with its schema and a handler', (type) => {
    const text = getText(`events/${type.replace(/[._]/g, '-')}.md`);
    for (const part of ['Who gets it', 'Payload', 'Sample delivery', 'Handle it', 'JSON Schema']) {
      expect(text).toContain(`\n## ${part}\n`);
    }
    expect(getText('events/index.md')).toContain(`\`${type}\``);
  });

  test.each(allEventTypes)(
    'has a delivery of %s that verifies and has the form of its schema',
    async (type) => {
      const [request] = findSnippets(type, getText(`events/${type.replace(/[._]/g, '-')}.md`))
        .filter(({ language }) => language === 'http')
        .map(({ code }) => code.trimEnd());
      const [head = '', body = ''] = request?.split('\n\n') ?? [];
      const lines = head.split('\n').slice(1);
      const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
      const { secret, sentAt } = await sampleDelivery(type);
      const { event, sequence } = await verifyDelivery({
        payload: body,
        headers,
        secret,
        requireTimestamp: true,
        now: sentAt * 1_000,
      });
      expect(event.event).toBe(type);
      expect(sequence).not.toBeNull();

      const file = join(folder, 'schemas/events', `${type}.json`);
      const ajv = formats.default(new Ajv2020());
      const validate = ajv.compile(JSON.parse(await readFile(file, 'utf8')));
      expect([validate(JSON.parse(body)), validate.errors]).toEqual([true, null]);
    },
  );

  test('has handlers that compile', async () => {
    const handlers = allEventTypes.flatMap((type) =>
      findSnippets(type, getText(`events/${type.replace(/[._]/g, '-')}.md`)).filter(
        ({ language }) => language === 'ts',
      ),
    );
    expect(handlers).toHaveLength(allEventTypes.length);
    const programs = await forTest(writePrograms(handlers));
    expect(await programs.checkTypes()).toEqual({ code: 0, output: '' });
  });
});

test('the reference of the SDK has every name that an entry exports', () => {
  const headings = [...texts].flatMap(([path, text]) =>
    path.startsWith('sdk/')
      ? [...text.matchAll(/^## ([\w$]+)(?:\(\))?$/gm)].map(([, name = '']) => name)
      : [],
  );
  for (const entry of ['index', 'webhooks', 'explain', 'testing', 'validate', 'node'] as const) {
    const names = listExports(entry);
    expect(names.length).toBeGreaterThan(0);
    expect(
      names.filter((name) => !headings.includes(name)),
      entry,
    ).toEqual([]);
  }
});

/** Returns the terms of the options in a help page: `--status <status>`. */
function listOptions(help: string): string[] {
  const [list = ''] = help.split('\nGlobal options');
  return [...list.matchAll(/^ {2}((?:-\w, )?--[^\n]*?)(?: {2,}.*)?$/gm)]
    .map(([, term = '']) => term.trim())
    .filter((term) => !term.includes('--help'));
}

/** Returns the section of a command, or the page of one that is no group. */
function readSection(page: string, command: string): string {
  const text = getText(page);
  const [, section] = text.split(`\n## ${command}\n`);
  return section === undefined ? text : (section.split('\n## ')[0] ?? '');
}

test('each command of tradepost has a section with what its help has', async () => {
  const commands = await readCommands();
  expect(commands.size).toBeGreaterThan(30);
  for (const [path, help] of commands) {
    const [noun = ''] = path.split(' ');
    const section = readSection(`cli/${noun}.md`, `tradepost ${path}`);
    expect(section, path).toContain(`tradepost ${path}`);
    for (const term of listOptions(help)) {
      expect(section, path).toContain(`\`${term.replaceAll('|', '\\|')}\``);
    }
    for (const [, example = ''] of help.matchAll(/^ {2}\$ (.*)$/gm)) {
      expect(section, path).toContain(`\n${example}\n`);
    }
  }
});

test('each command of tradepost-server has a page with what its help has', async () => {
  const { stdout } = await runOperator(['--help']);
  const [, list = ''] = stdout.split('Commands:\n');
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  const commands = names.filter((name) => name !== 'help');
  expect(commands).toContain('start');
  for (const name of commands) {
    const text = getText(`cli/server/${name}.md`);
    const { stdout: help } = await runOperator([name, '--help']);
    const options = help.match(/^ {2}(?:-\w, )?--[a-z-]+/gm) ?? [];
    for (const option of options.map((one) => one.trim()).filter((one) => !one.includes('help'))) {
      expect(text, name).toContain(option);
    }
  }
});
