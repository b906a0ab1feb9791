import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli';

/** Nothing listens there: a request would exit with 9. */
const env = { TRADEPOST_BASE_URL: 'http://127.0.0.1:1' };

describe('an invalid command line', () => {
  it.each([
    [['oders'], "Unknown command 'oders'", 'Did you mean orders?'],
    [['orders', 'lst'], "Unknown command 'lst'", 'Did you mean list?'],
    [['orders', 'list', '--statu', 'x'], "Unknown option '--statu'", 'Did you mean --status?'],
    [['orders', 'list', '--outptu', 'x'], "Unknown option '--outptu'", 'Did you mean --output?'],
    [['orders', 'get'], 'Missing order ID', '`tradepost orders get --help`'],
    [['webhooks', 'pause'], 'Missing webhook ID', '`tradepost webhooks pause --help`'],
    [['keys', 'revoke'], 'Missing API key ID', '`tradepost keys revoke --help`'],
    [['webhooks', 'explain'], 'Missing delivery ID', '`tradepost webhooks explain --help`'],
    [['completion'], "Missing required argument 'shell'", '`tradepost completion --help`'],
    [['whoami', 'ord_1'], 'Too many arguments', '`tradepost whoami --help`'],
    [['orders', 'get'], 'Missing order ID', '`tradepost orders get --help`'],
    [['orders', 'get', 'ord_1', 'lst_1'], 'IDs of this type begin with ord_.', '--help'],
    [['orders', 'get', 'lst_1'], 'IDs of this type begin with ord_.', '--help'],
    [['orders', 'get', 'ord_1/../x'], 'IDs of this type begin with ord_.', '--help'],
    [['notifications', 'read', 'ntf_1', 'ord_1'], 'IDs of this type begin', '--help'],
    [['notifications', 'read'], 'Specify notification IDs, --all or a filter', '--help'],
    [['notifications', 'read', 'ntf_1', '--all'], 'not both', '--help'],
    [['orders', 'list', '--limit', '0'], 'Use an integer of at least 1.', '--help'],
    [['orders', 'list', '--limit', '1e3'], 'Use an integer of at least 1.', '--help'],
    [['orders', 'list', '--limit'], "Option '--limit <n>' argument missing", '--help'],
    [['orders', 'list', '--all', '--limit', '5'], 'cannot be used with', '--help'],
    [['orders', 'list', '--all=true'], "Option '--all' takes no value", '--help'],
    [
      ['orders', 'set-status', 'ord_1', 'confirmed', '--dry-run=client'],
      'takes no value',
      '--help',
    ],
    [['orders', 'get', 'ord_1,ord_2'], 'Separate IDs with spaces, not with commas.', '--help'],
    [['orders', 'set-status', 'confirmed'], 'Missing order ID', 'pass --file FILE or --stdin'],
    [['orders', 'list', '--output', 'xml'], 'Allowed choices are table, json, ndjson', '--help'],
    [['webhooks', 'register', '--url', 'https://a.example'], "'--events <types>'", '--help'],
    [
      ['orders', 'create', '--listing', 'lst_1', '--quantiy', '1'],
      "Unknown option '--quantiy', and required option '--quantity <n>' not specified",
      '--help',
    ],
    [
      ['orders', 'create', '--api-key=tpk_abcdefgh', '--listing', 'lst_1'],
      "Unknown option '--api-key', and required option '--quantity <n>' not specified",
      'Set TRADEPOST_API_KEY',
    ],
    [['help', 'constructor'], "No help for 'constructor'", 'Other topics: '],
    [['help', 'toString'], "No help for 'toString'", 'Other topics: '],
    [['help', 'oders'], "No help for 'oders'", 'Other topics: exit-codes, environment, output.'],
  ])('%j exits 2 with a hint', async (argv, message, hint) => {
    const { exitCode, stdout, stderr } = await runCli(argv, { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    const [error, advice] = stderr.split('\nhint: ');
    expect(error).toMatch(/^error: /);
    expect(error).toContain(message);
    expect(advice).toContain(hint);
  });

  it.each([
    [['orders', 'get', 'ord_1\n']],
    [['orders', 'set-status', ' ord_1', 'ord_2\t', ' confirmed ', '--yes', '--no-journal']],
    [['notifications', 'read', 'ntf_1 ']],
    [['webhooks', 'get', ' whk_1 ']],
    [['orders', 'list', '--buyer', ' usr_1\n']],
  ])('%j has white space at the ends of IDs, which does not matter', async (argv) => {
    const wait = async () => {};
    const options = argv[1] === 'set-status' ? ['--reconnect-timeout', '0'] : [];
    expect((await runCli([...argv, ...options], { env, wait })).exitCode).toBe(9);
  });

  it('shows the help on stderr when a command is missing', async () => {
    const { exitCode, stdout, stderr } = await runCli(['orders'], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('COMMANDS:\n  list ');
    expect(stderr).toMatch(
      /\nerror: Missing command after `tradepost orders`. Use one of: list, count, get, timeline, create, set-status, watch\n$/,
    );
    const none = await runCli([], { env });
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toMatch(/Use one of: orders, .*, completion, help\n$/);
  });

  it('is one JSON object on stderr with JSON output', async () => {
    const argvs = [['orders'], ['oders'], ['orders', 'get'], ['orders', 'list', '--nope', 'x']];
    for (const argv of argvs) {
      for (const output of ['json', 'ndjson']) {
        const { exitCode, stdout, stderr } = await runCli([...argv, '--output', output], { env });
        expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
        expect(Object.keys(JSON.parse(stderr).error)).toEqual([
          'code',
          'message',
          'status',
          'requestId',
          'hint',
          'errors',
        ]);
        expect(JSON.parse(stderr).error.code).toBe('usage');
      }
    }
  });

  it('never prints a key or a secret, wherever it was passed', async () => {
    for (const secret of ['tpk_3fQxA9c0ZkV1mP7sT2uW4yB6dE8g', 'whsec_MfKQ9r8GKYqrTwjUPD8I+/A=']) {
      for (const argv of [
        ['orders', 'get', secret],
        ['orders', 'get', `ord_1/${secret}`],
        ['orders', secret],
        ['orders', 'list', `--${secret}`],
        ['orders', 'list', '--limit', secret],
        ['orders', 'set-status', 'ord_1', secret],
        ['notifications', 'read', 'ntf_1', secret],
        ['webhooks', 'register', '--url', secret, '--events', 'order.created'],
        ['webhooks', 'register', '--url', 'https://a.example', '--events', secret],
        ['help', secret],
        ['orders', 'list', '--base-url', secret],
      ]) {
        const asText = await runCli(argv, { env });
        const asJson = await runCli([...argv, '--output', 'json'], { env });
        for (const { exitCode, stdout, stderr } of [asText, asJson]) {
          expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
          expect(stderr).not.toMatch(/(tpk|whsec)_\w/);
        }
        expect(JSON.parse(asJson.stderr).error.code).toMatch(/^(usage|invalid_configuration)$/);
      }
    }
    const { stderr } = await runCli(['orders', 'get', 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6dE8g'], { env });
    expect(stderr).toMatch(/^error: 'tpk_…' is invalid for argument 'id'\. /);
  });

  it('never prints a key that was passed as an option', async () => {
    for (const argv of [['--api-key=tpk_secret'], ['--api-key', 'tpk_secret']]) {
      const { exitCode, stderr } = await runCli([...argv, 'orders', 'list'], { env });
      expect(exitCode).toBe(2);
      expect(stderr).not.toContain('tpk_secret');
      expect(stderr).toContain('Set TRADEPOST_API_KEY');
    }
  });
});

describe('settings', () => {
  it('exits 2 without a base URL', async () => {
    expect(await runCli(['orders', 'list'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        'error: You are not logged in',
        'hint: Run `tradepost login`. For scripts, set TRADEPOST_BASE_URL and TRADEPOST_API_KEY. The reference server listens on http://127.0.0.1:4010 by default.',
        '',
      ].join('\n'),
    });
  });

  it('exits 2 with an invalid base URL', async () => {
    for (const baseUrl of ['trade.example', 'ftp://trade.example', 'https://me:pw@trade.example']) {
      const { exitCode, stderr } = await runCli(['orders', 'list', '--base-url', baseUrl]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('hint: Check TRADEPOST_BASE_URL or --base-url');
      expect(stderr).not.toContain('pw');
    }
  });

  it('does not show a service URL that has a password', async () => {
    const argv = ['orders', 'list', '--base-url', 'http://me:pw@127.0.0.1:99999'];
    const { exitCode, stderr } = await runCli(argv);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('pw');
  });

  it('exits 4 without a key, or with one that cannot be sent', async () => {
    for (const key of [undefined, '', ' ', 'tpk one', 'tpk_\u2026']) {
      const { exitCode, stdout, stderr } = await runCli(['orders', 'list'], {
        env: { ...env, TRADEPOST_API_KEY: key },
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
      expect(stderr).toMatch(/^error: .*API key.*\nhint: .*TRADEPOST_API_KEY/);
    }
  });
});
