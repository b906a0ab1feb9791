import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allEventTypes, orderStatuses } from '@tradepost/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommandGroup, type CommandSpec, helpSections } from '../../src/command-tree';
import { loginFolder } from '../helpers/profile-folder';
import { runCli } from '../helpers/run-cli';

/** What a shell gets for a command line; the last word is the one at the cursor. */
async function suggested(line: string[], env: Record<string, string | undefined> = {}) {
  const { exitCode, stdout, stderr } = await runCli(['complete', '--', ...line], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  const directive = Number(/^:(\d+)$/.exec(lines.pop() ?? '')?.[1]);
  return { words: lines.map((word) => word.split('\t')[0] ?? ''), directive };
}

async function wordsFor(...line: string[]): Promise<string[]> {
  return (await suggested(line)).words;
}

function leavesOf(entry: CommandGroup | CommandSpec, path: string[]): string[][] {
  // Help takes the commands of the program, and no options.
  if ('load' in entry) return entry.hidden || path[0] === 'help' ? [] : [path];
  return Object.entries(entry.commands).flatMap(([name, leaf]) => leavesOf(leaf, [...path, name]));
}

const leaves = Object.values(helpSections).flatMap((chapter) =>
  Object.entries(chapter).flatMap(([name, entry]) => leavesOf(entry, [name])),
);

describe('completion candidates', () => {
  it('are the commands with their summaries, without hidden ones', async () => {
    const { stdout } = await runCli(['complete', '--', '']);
    expect(stdout).toContain('orders\tList, view and update orders\n');
    expect(await wordsFor('')).toEqual(expect.arrayContaining(['orders', 'login', 'completion']));
    expect(await wordsFor('')).not.toContain('complete');
    expect(await wordsFor('orders', '')).toEqual(expect.arrayContaining(['list', 'set-status']));
    expect(await wordsFor('help', 'or')).toEqual(['orders']);
    expect(await wordsFor('help', 'orders', 'set')).toEqual(['set-status']);
  });

  it.each(leaves.map((path) => ({ path, name: path.join(' ') })))(
    'of $name are its own options and the global options',
    async ({ path }) => {
      const words = path.filter((name) => name !== undefined);
      const optionsOf = async (argv: string[]) => {
        const [help = ''] = (await runCli([...argv, '--help'])).stdout.split('EXAMPLES:');
        return Array.from(help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm), ([, name]) => name);
      };
      const global = (await optionsOf([])).filter((name) => name !== '--help');
      const options = [...(await optionsOf(words)), ...global];
      expect(await wordsFor(...words, '--')).toEqual(options);
      const short = (await wordsFor(...words, '-')).filter((word) => !word.startsWith('--'));
      expect(short).toEqual(expect.arrayContaining(['-o', '-q']));
      expect(short.includes('-y')).toBe(options.includes('--yes'));
      expect(options).toContain('--profile');
    },
  );

  it('are the values that an option or an argument accepts', async () => {
    expect(await wordsFor('orders', 'list', '--output', '')).toEqual([
      'table',
      'json',
      'ndjson',
      'csv',
    ]);
    expect(await wordsFor('orders', 'list', '--output=nd')).toEqual(['ndjson']);
    expect(await wordsFor('orders', 'list', '-o', 'nd')).toEqual(['ndjson']);
    expect(await wordsFor('orders', 'list', '-o=nd')).toEqual([]);
    expect(await wordsFor('--output', 'json', 'completion', '')).toContain('fish');
    expect(await wordsFor('completion', 'fish', '')).toEqual([]);
    expect(await wordsFor('orders', 'set-status', 'ord_1', '')).toEqual([...orderStatuses]);
    expect(await wordsFor('orders', 'set-status', '--stdin', 'conf')).toEqual(['confirmed']);
    expect(await wordsFor('notifications', 'read', '--type', 'order_c')).toEqual(['order_created']);
    expect(await wordsFor('api', 'P')).toEqual(['POST', 'PUT', 'PATCH']);
    expect(await wordsFor('api', 'GET', '')).toEqual([]);
  });

  it('are event types separated by commas, each once', async () => {
    const register = ['webhooks', 'register', '--url', 'https://a.example', '--events'];
    expect(await suggested([...register, ''])).toEqual({ words: [...allEventTypes], directive: 4 });
    // With a second word no shell adds a space: the list may go on. fish would make up one, `pending.`.
    expect(await wordsFor(...register, 'order.created,o')).toEqual([
      'order.created,order.status_changed',
      'order.created,order.status_changed,',
    ]);
    expect(await suggested(['orders', 'watch', '--status', 'completed,pe'])).toEqual({
      words: ['completed,pending', 'completed,pending,'],
      directive: 4,
    });
  });

  it('are the names of the profiles, without the service and with any file content', async () => {
    const profile = { baseUrl: 'http://127.0.0.1:1', apiKey: 'tpk_x' };
    const folder = loginFolder({ live: profile, staging: profile, '$(rm -rf /)': profile });
    expect((await suggested(['--profile', ''], folder.env)).words).toEqual(['live', 'staging']);
    expect((await suggested(['--profile=s'], folder.env)).words).toEqual(['staging']);
    expect((await suggested(['profiles', 'use', 'l'], folder.env)).words).toEqual(['live']);
    writeFileSync(folder.file, '{');
    expect((await suggested(['--profile', ''], folder.env)).words).toEqual([]);
  });

  it('are the topics of help too, and nothing after one', async () => {
    expect(await wordsFor('help', 'e')).toEqual(['events', 'exit-codes', 'environment']);
    expect(await wordsFor('help', 'out')).toEqual(['output']);
    expect(await wordsFor('help', 'exit-codes', '')).toEqual([]);
    expect(await wordsFor('help', 'orders', 'e')).toEqual([]);
    expect(await wordsFor('e')).toEqual(['events']);
  });

  /** Arguments with which a command gets as far as its fields. Nothing listens at the base URL. */
  const argumentsOf: Record<string, string[]> = {
    'orders get': ['ord_1'],
    'orders create': ['--listing', 'lst_1', '--quantity', '1'],
    'notifications read': ['ntf_1'],
    'webhooks register': ['--url', 'https://a.example', '--events', 'order.created'],
    'jobs show': ['latest'],
    'events get': ['evt_1'],
    'orders timeline': ['ord_1'],
    'keys revoke': ['key_1'],
    'webhooks get': ['whk_1'],
    'webhooks update': ['whk_1', '--url', 'https://a.example'],
    'webhooks pause': ['whk_1'],
    'webhooks resume': ['whk_1'],
    'webhooks delete': ['whk_1'],
    'webhooks test': ['whk_1', '--event', 'order.created'],
    'webhooks explain': ['dlv_1'],
    'webhooks retry': ['whk_1'],
    'webhooks verify': ['--secret-file', 'a', '--signature', 'a'.repeat(64)],
    'webhooks probe': ['http://127.0.0.1:1', '--secret-file', 'a'],
    'webhooks listen': ['--forward-to', 'http://127.0.0.1:1'],
    'profiles use': ['live'],
  };

  it.each(
    leaves
      .map((path) => ({ path, name: path.join(' ') }))
      // These print one thing or another.
      .filter(
        ({ name }) =>
          !/^(completion|orders set-status|webhooks (rotate-secret|replay|stats)|api|mcp)$/.test(
            name,
          ),
      ),
  )('of $name for --fields are the fields that it accepts', async ({ path, name }) => {
    const argv = [...path, ...(argumentsOf[name] ?? []), '--fields', '?'];
    const { stderr } = await runCli(argv, { env: { TRADEPOST_BASE_URL: 'http://127.0.0.1:1' } });
    const [, fields] = /Unknown field '\?'. Fields: (.*)$/m.exec(stderr) ?? [];
    expect(fields).toBeDefined();
    expect((await wordsFor(...path, '--fields', '')).join(', ')).toBe(fields);
  });

  it('are the fields of all that a command can print, separated by commas, each once', async () => {
    const fields = await wordsFor('orders', 'set-status', 'ord_1', 'confirmed', '--fields=');
    expect(fields).toEqual(expect.arrayContaining(['id', 'status', 'outcome', 'from', 'to']));
    expect(new Set(fields).size).toBe(fields.length);
    expect(await suggested(['orders', 'list', '--fields', 'id,status,sel'])).toEqual({
      words: ['id,status,sellerId', 'id,status,sellerName'],
      directive: 4,
    });
    expect(await wordsFor('orders', 'list', '--fields', 'id,i')).toEqual([]);
    expect(await wordsFor('--fields', '')).toEqual([]);
    expect(await wordsFor('completion', '--fields', '')).toEqual([]);
  });

  it('are files for a file option, and nothing for free text', async () => {
    expect(await suggested(['orders', 'list', '--debug', 'rec'])).toEqual({
      words: [],
      directive: 0,
    });
    const resume = ['orders', 'set-status', '--resume'];
    expect(await suggested([...resume, 'l'])).toEqual({ words: ['latest'], directive: 0 });
    expect(await suggested([...resume, ''])).toEqual({ words: [], directive: 0 });
    expect(await suggested(['orders', 'get', ''])).toEqual({ words: [], directive: 4 });
    expect(await suggested(['orders', 'list', '--limit', ''])).toEqual({ words: [], directive: 4 });
  });

  it('are no options after `--`, and no commands after an unknown one', async () => {
    expect(await wordsFor('orders', 'get', '--', '--')).toEqual([]);
    expect(await wordsFor('oders', '')).toEqual([]);
    expect(await wordsFor('orders', 'lst', '--out')).toEqual(['--output']);
  });

  it('start with the typed text, and end with a directive, for any input', async () => {
    const word = fc.oneof(
      fc.constantFrom(
        'orders',
        'list',
        'webhooks',
        '--',
        '--status',
        '--events=',
        'help',
        '-h',
        'x,',
      ),
      fc.string({ maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (line) => {
        const typed = line.at(-1) ?? '';
        const { words, directive } = await suggested(line);
        expect(directive).toBeLessThan(8);
        const value = /^--[^=]*=/.test(typed) ? typed.replace(/^[^=]*=/, '') : typed;
        for (const each of words)
          expect([each, typed]).toEqual([expect.stringMatching(/^\S+$/), typed]);
        for (const each of words)
          expect(each.startsWith(value) || each.startsWith(typed)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** Folders for a shell: one with a `tradepost` that records its arguments and prints a file. */
function shellFolder(): { path: string; asked(): string[]; reply(text: string): void } {
  const { path } = loginFolder();
  mkdirSync(join(path, 'bin'));
  const program = [
    '#!/bin/sh',
    `: > '${path}/asked'`,
    `for word in "$@"; do printf '%s\\n' "$word" >> '${path}/asked'; done`,
    `cat '${path}/reply'`,
    '',
  ].join('\n');
  writeFileSync(join(path, 'bin', 'tradepost'), program, { mode: 0o755 });
  return {
    path,
    asked: () => readFileSync(join(path, 'asked'), 'utf8').split('\n').slice(0, -1),
    reply: (text) => writeFileSync(join(path, 'reply'), text),
  };
}

describe.runIf(isInstalled('bash'))('the script for bash', () => {
  /** Presses tab at the end of a line, in a real bash: the service is our own `complete`. */
  async function pressTab(line: string, setUp = ''): Promise<{ reply: string[]; asked: string[] }> {
    const shell = shellFolder();
    const { stdout: script } = await runCli(['completion', 'bash']);
    writeFileSync(join(shell.path, 'script.bash'), script);
    // Bash splits the line for a completion as it does for `read -e`: at spaces, = and :.
    const parts = line.match(/[=:]+|[^\s=:]+/g) ?? [];
    const words = line.endsWith(' ') ? [...parts, ''] : parts;
    const program = [
      'set -eu -o pipefail',
      setUp,
      `cd '${shell.path}'`,
      'source script.bash; source script.bash',
      `COMP_LINE='${line}' COMP_POINT=\${#COMP_LINE} COMP_CWORD=${words.length - 1}`,
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
      'set +e',
      'complete -p tradepost > /dev/null || exit 9',
      '_tradepost_complete 2> >(grep -v compopt >&2)',
      // With nothing in it, it is not there at all.
      `printf '%s\\n' "\${COMPREPLY[@]-}"`,
    ].join('\n');
    const run = () =>
      execFileSync('bash', ['--norc', '-c', program], {
        encoding: 'utf8',
        env: { PATH: `${shell.path}/bin:${process.env.PATH}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    shell.reply(':4\n');
    run();
    const asked = shell.asked();
    shell.reply((await runCli(asked)).stdout);
    return { reply: run().split('\n').slice(0, -1), asked };
  }

  it('passes the typed words on and shows the suggestions', async () => {
    expect(await pressTab('tradepost orders li')).toEqual({
      reply: ['list'],
      asked: ['complete', '--', 'orders', 'li'],
    });
    expect((await pressTab('tradepost orders list --status ')).reply).toEqual([...orderStatuses]);
    expect((await pressTab('tradepost ')).reply).toContain('orders');
  });

  it('joins the words that bash splits at = and :', async () => {
    expect(await pressTab('tradepost orders list --status=pe')).toEqual({
      reply: ['pending', 'pending,'],
      asked: ['complete', '--', 'orders', 'list', '--status=pe'],
    });
    expect((await pressTab('tradepost orders list --output=')).reply).toContain('json');
    const { reply, asked } = await pressTab('tradepost --base-url http://a.example:1/ orders li');
    expect(asked).toEqual(['complete', '--', '--base-url', 'http://a.example:1/', 'orders', 'li']);
    expect(reply).toEqual(['list']);
  });

  it('suggests the whole word if bash does not split at =', async () => {
    const shell = await pressTab('tradepost orders list --status pe', "COMP_WORDBREAKS=' '");
    expect(shell.reply).toEqual(['pending', 'pending,']);
  });

  it('suggests files for a file, and a word that may be there instead', async () => {
    const reply = async (line: string) => (await pressTab(line)).reply;
    // Without a word bash adds files itself.
    expect(await reply('tradepost orders set-status --resume ')).toEqual(['']);
    expect(await reply('tradepost orders set-status --resume l')).toEqual(['latest']);
    expect(await reply('tradepost orders set-status --resume=l')).toEqual(['latest']);
  });

  it('executes nothing on the command line', async () => {
    const { asked } = await pressTab('tradepost $(touch,ran) `touch,ran` li');
    expect(asked).toEqual(['complete', '--', '$(touch,ran)', '`touch,ran`', 'li']);
  });
});

describe.each(['zsh', 'fish', 'powershell'])('the script for %s', (shell) => {
  it('works with any --output', async () => {
    const { exitCode, stdout, stderr } = await runCli(['completion', shell, '--output', 'json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/tradepost complete ('--'|--)/);
  });
});

describe('completion', () => {
  it('exits 2 for an unsupported shell', async () => {
    const { exitCode, stdout, stderr } = await runCli(['completion', 'cmd']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('bash, zsh, fish, powershell');
  });
});
