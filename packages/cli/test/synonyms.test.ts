import { orderStatuses } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { commandSynonyms, optionSynonyms } from '../src/synonyms';
import { commandPaths } from './helpers/command-paths';
import { runCli } from './helpers/run-cli';

const groups = [...new Set(commandPaths.filter((path) => path.includes(' ')))].map(
  (path) => path.split(' ')[0] ?? '',
);

/** Returns the hint of a command line that is rejected. */
async function hintOf(argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCli(argv);
  expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
  return /^hint: (.*)\n$/m.exec(stderr)?.[1] ?? '';
}

/** All command lines of a row: one for each choice of alternatives. */
function alternatives(typed: string): string[][] {
  return typed
    .split(' ')
    .map((word) => word.split('|'))
    .reduce<string[][]>(
      (lines, words) => lines.flatMap((line) => words.map((word) => [...line, word])),
      [[]],
    );
}

const helpOf = async (path: string) => (await runCli([...path.split(' '), '--help'])).stdout;

describe('a command as in other programs', () => {
  it.each(commandSynonyms)('`%s` has a suggestion that exists: %s', async (typed, meant) => {
    const names = typed.includes('*') ? [...new Set(groups)] : [''];
    const expanded = names.map((name) => [typed.replace('*', name), meant.replace('*', name)]);
    const isKnown = (line: string) =>
      line.startsWith('--') ||
      groups.includes(line) ||
      commandPaths.some((path) => `${line} `.startsWith(`${path} `));
    const targets = expanded.filter(([, target = '']) => isKnown(target));
    expect(targets).not.toEqual([]);
    for (const [line = '', target = ''] of targets) {
      for (const words of alternatives(line)) {
        // Else the row would never be used.
        expect(commandPaths).not.toContain(words.join(' '));
        const hint = await hintOf(words);
        expect(hint, words.join(' ')).toContain(`Did you mean \`tradepost ${target}\`? See `);
        const [, help = ''] = /See `tradepost (.*)--help`\.$/.exec(hint) ?? [];
        const page = await helpOf(help.trim() || 'orders');
        expect(page).toMatch(/^USAGE: /);
        for (const option of target.match(/--[\w-]+/g) ?? []) {
          const all = page + (await runCli(['--help'])).stdout;
          expect(all).toContain(option);
        }
      }
    }
    for (const [, status] of meant.matchAll(/ ID ([a-z]+)$/g))
      expect(orderStatuses).toContain(status);
  });

  it.each([
    ['orders update', 'orders set-status'],
    ['orders view ord_1', 'orders get'],
    ['orders show ord_1', 'orders get'],
    ['orders cancel ord_1 ord_2', 'orders set-status ord_1 ord_2 cancelled'],
    ['orders cancel', 'orders set-status ID cancelled'],
    ['orders ls', 'orders list'],
    ['notifications ls --unread', 'notifications list'],
    ['webhooks create --url https://a.example', 'webhooks register'],
    ['webhooks add', 'webhooks register'],
    ['webhooks remove whk_1', 'webhooks delete'],
    ['webhooks rm whk_1', 'webhooks delete'],
    ['webhooks resend dlv_1', 'webhooks replay'],
    ['webhooks deliveries list', 'webhooks deliveries'],
    ['auth login', 'login'],
    ['get orders', 'orders list'],
    ['get order ord_1', 'orders get'],
    ['order list', 'orders list'],
    ['order view ord_1', 'orders get'],
    ['endpoint create', 'webhooks register'],
    ['listen --forward-to localhost:3000', 'webhooks listen'],
  ])('`%s` means `%s`', async (typed, meant) => {
    const [first, ...others] = (await hintOf(typed.split(' '))).split('Did you mean ');
    expect({ first, others: others.length }).toEqual({ first: '', others: 1 });
    expect(others[0]).toContain(`\`tradepost ${meant}\`? See \`tradepost `);
  });

  it('keeps the suggestion by spelling where no row fits', async () => {
    expect(await hintOf(['orders', 'lst'])).toBe(
      'Did you mean list? See `tradepost orders --help`.',
    );
    expect(await hintOf(['orders', 'something'])).toBe('See `tradepost orders --help`.');
  });

  it('is not shown with arguments that may be secrets', async () => {
    const { stderr } = await runCli(['orders', 'cancel', 'hunter2', '--token', 'tpk_secret']);
    expect(stderr).toContain('`tradepost orders set-status ID cancelled`');
    expect(stderr).not.toMatch(/hunter2|tpk_secret/);
  });
});

describe('an option as in other programs', () => {
  const argumentsOf: Record<string, string[]> = {
    'orders create': ['--listing', 'lst_1', '--quantity', '1'],
    'webhooks register': ['--url', 'https://a.example', '--events', 'order.created'],
    'webhooks verify': ['--secret-file', 'a'],
    'webhooks listen': ['--forward-to', 'http://127.0.0.1:1'],
    'webhooks test': ['whk_1', '--event', 'order.created'],
  };

  it.each(optionSynonyms)('`%s` has a suggestion that exists: %s', async (typed, meant) => {
    for (const words of alternatives(typed)) {
      const hints: string[] = [];
      for (const path of ['', ...commandPaths]) {
        const names = path === '' ? [] : path.split(' ');
        const argv = [...names, ...(argumentsOf[path] ?? []), words.join('=')];
        const { stderr } = await runCli(argv);
        const [, hint = ''] = /^hint: (.*)$/m.exec(stderr) ?? [];
        if (
          !hint.includes(
            `Did you mean ${meant.startsWith('-') ? meant : `\`tradepost ${meant}\``}?`,
          )
        ) {
          continue;
        }
        hints.push(hint);
        const page = (await runCli(['--help'])).stdout + (await helpOf(path || 'orders'));
        for (const choice of meant.split(' or ')) {
          const [flag = '', value] = choice.split(' ');
          const line = new RegExp(`^ {2}(-\\w, )?${flag}\\b[^]*?(?=\\n {2}-|\\n\\n)`, 'm');
          if (meant.startsWith('-')) expect(line.exec(page)?.[0]).toContain(value ?? '');
          else expect(commandPaths).toContain(`${flag} ${value}`);
        }
      }
      expect(hints, words.join(' ')).not.toEqual([]);
    }
  });

  it.each([
    ['orders list --format json', 'Did you mean --output json?'],
    ['orders list --format=csv', 'Did you mean --output csv?'],
    ['orders list --format yaml', 'Did you mean --output?'],
    ['--format json orders list', 'Did you mean --output json?'],
    ['orders list --limit=all', 'Did you mean --all?'],
    ['orders list --limit 0', 'Did you mean --all?'],
    ['orders list --from 2d', 'Did you mean --since?'],
    ['orders list --status canceled', 'Did you mean --status cancelled?'],
    ['orders list -f', 'Did you mean `tradepost orders watch`?'],
    ['orders set-status ord_1 --status confirmed', '`tradepost orders set-status ord_1 STATUS`?'],
    ['webhooks register --url https://a.example --types order.created', 'Did you mean --events?'],
    ['webhooks deliveries --status failed', 'Did you mean --state failed?'],
    ['webhooks delete whk_1 --force', 'Did you mean --yes?'],
    ['orders list --starting-after ord_1', 'Did you mean --all or --limit?'],
    ['events list --cursor abc', 'Did you mean --all or --limit?'],
    ['orders list --page=2', 'Did you mean --all or --limit?'],
    ['api GET /v1/orders -H a:b', 'Did you mean --header?'],
    ['api GET /v1/orders -Ha:b', 'Did you mean --header?'],
    ['webhooks replay dlv_1 --limit all', 'See `tradepost webhooks replay --help`.'],
    ['orders list --token tpk_secret', 'Set TRADEPOST_API_KEY instead'],
    ['-v', 'Did you mean --version?'],
  ])('`%s` leads to: %s', async (typed, hint) => {
    expect(await hintOf(typed.split(' '))).toContain(hint);
  });

  it('is the same in JSON', async () => {
    const { stderr } = await runCli(['orders', 'list', '--format', 'json', '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'usage',
      message: "Unknown option '--format'",
      hint: 'Did you mean --output json? See `tradepost orders list --help`.',
    });
  });
});
