import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../package.json';
import { escapeRoff } from '../../scripts/man-page';
import { renderManPages } from '../../scripts/write-man-pages';
import { commandPaths } from '../helpers/command-paths';
import { runCli } from '../helpers/run-cli';

let pages: Map<string, string>;

beforeAll(async () => {
  pages = await renderManPages();
});

const groups = [...new Set(commandPaths.flatMap((path) => path.match(/^[\w-]+(?= )/) ?? []))];
const paths = ['', ...groups, ...commandPaths];
const fileOf = (path: string) => `${['tradepost', ...path.split(' ')].filter(Boolean).join('-')}.1`;
const pageOf = (path: string) => pages.get(fileOf(path)) ?? '';

/** Returns what a page shows, without the requests: its lines, without line breaks of a terminal. */
function shownText(page: string): string {
  return page
    .replace(/^\.(S[HS]) /gm, '')
    .replace(/^\.(?!\\).*\n/gm, '')
    .replace(/\\f[BIR]/g, '')
    .replace(/\\\((aq|ga|ha|ti|dq)/g, (_, name) =>
      String({ aq: "'", ga: '`', ha: '^', ti: '~', dq: '"' }[String(name)]),
    )
    .replace(/\\\[u([\dA-F]{4,6})\]/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/\\([-&e])/g, (_, name) => String({ '-': '-', '&': '', e: '\\' }[String(name)]));
}

const lineOf = (text: string) => text.replaceAll('…', '...');

describe('the man pages', () => {
  it('are one for the program, each group and each command', () => {
    expect([...pages.keys()].sort()).toEqual(paths.map(fileOf).sort());
  });

  it.each(paths)('of `%s` is valid roff', (path) => {
    const page = pageOf(path);
    const lines = page.split('\n');
    expect(lines.pop()).toBe('');
    const title = fileOf(path).slice(0, -2).toUpperCase().replaceAll('-', '\\-');
    expect(lines[0]).toBe(`.TH "${title}" "1" "" "tradepost ${version}" "User Commands"`);
    expect(page).toMatch(
      /^\.SH NAME\ntradepost[\w\\-]* \\- [a-z].*\n\.SH SYNOPSIS\n\\fBtradepost/m,
    );
    expect(page).toMatch(/^[\x20-\x7e\n]*$/);
    expect(page).not.toMatch(/undefined|\[object/);

    let isPreformatted = false;
    for (const [index, line] of lines.entries()) {
      const [, request] = /^\.(?!\\)(\w*)/.exec(line) ?? [];
      if (request !== undefined) {
        expect(line).toMatch(/^\.(TH .+|S[HS] [A-Za-z ]+|TP|PP|br|nf|fi|nh|ad l)$/);
        // A term and its description.
        if (request === 'TP')
          expect(lines.slice(index + 1, index + 3).join('')).not.toMatch(/^\./m);
        if (request === 'nf' || request === 'fi') {
          expect(isPreformatted).toBe(request === 'fi');
          isPreformatted = !isPreformatted;
        }
        continue;
      }
      // An empty line is for preformatted text only.
      expect(line !== '' || isPreformatted).toBe(true);
      // A line that begins with one of these would be a request.
      expect(line).not.toMatch(/^['.]/);
      expect(
        line.replace(/\\([-e&]|\((aq|ga|ha|ti|dq)|\[u[\dA-F]{4,6}\]|f[BIR])/g, ''),
      ).not.toContain('\\');
      // Each font ends on its line.
      expect(line.match(/\\f[BIR]/g)?.at(-1) ?? '\\fR').toBe('\\fR');
    }
    expect(isPreformatted).toBe(false);
    const sections = Array.from(page.matchAll(/^\.SH (.*)$/gm), ([, name]) => name);
    expect(new Set(sections).size).toBe(sections.length);
  });

  it.each(paths)('of `%s` has the options, arguments and examples of its help', async (path) => {
    const { stdout: help } = await runCli([...path.split(' ').filter(Boolean), '--help']);
    const text = shownText(pageOf(path));
    const [, list = ''] = /^OPTIONS:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
    const flags = /^ {2}((?:-\w, )?--[\w-]+(?: <[\w=:.]+>)?)/gm;
    const options = Array.from(list.matchAll(flags), ([, option = '']) => option);
    expect(options).toContain('-h, --help');
    for (const option of options) expect(text).toContain(`\n${option.replace(/[<>]/g, '')}\n`);
    for (const [, example = ''] of help.matchAll(/^ {2}(\$ tradepost .*)$/gm)) {
      expect(text).toContain(`\n${lineOf(example)}\n`);
    }
    // Without the line breaks of each.
    const plain = (words: string) => lineOf(words).replace(/[\s`]+/g, '');
    const [, notes = ''] = /^NOTES:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
    for (const note of notes.split(/\n {2}(?! )/)) expect(plain(text)).toContain(plain(note));
  });

  it('has the environment variables, the exit codes and the formats in the page of the program', async () => {
    const text = shownText(pageOf(''));
    for (const topic of ['exit-codes', 'environment', 'output']) {
      const { stdout } = await runCli(['help', topic]);
      const words = stdout.split('\n').slice(1).join(' ').split(/\s+/).filter(Boolean);
      const shown = new Set(text.split(/\s+/));
      expect(words.filter((word) => !shown.has(word))).toEqual([]);
    }
  });

  const programs = [
    ['groff', ['-ww', '-man', '-T', 'utf8', '-z']],
    ['man', ['--warnings', '-E', 'UTF-8', '-l', '-']],
    // It has one warning for each page: it wants a date.
    ['mandoc', ['-T', 'lint', '-W', 'error']],
  ] as const;

  it.each(programs)('are accepted by %s, where it is installed', (program, args) => {
    const isInstalled = spawnSync(program, ['--version']).error === undefined;
    expect(pages.size).toBe(paths.length);
    if (!isInstalled) return;
    for (const [file, input] of pages) {
      const { status, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
      expect({ file, status, stderr }).toEqual({ file, status: 0, stderr: '' });
    }
  });
});

describe('escapeRoff', () => {
  it('shows any line as it is', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((line) => !/[\p{Cc}…]|^\.\.\./u.test(line));
    fc.assert(
      fc.property(text, (line) => {
        const escaped = escapeRoff(line);
        expect(escaped).toMatch(/^[\x20-\x7e]*$/);
        expect(escaped).not.toMatch(/^['.]/);
        expect(shownText(escaped)).toBe(line);
      }),
    );
  });
});
