import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { createJqFormat } from '../../src/output/jq';
import { FakeStream } from '../helpers/fake-stream';
import { aNotification, BareService } from '../helpers/minimal-service';

const { signal } = new AbortController();

const two = [anOrder({ id: 'ord_1', quantity: 5 }), anOrder({ id: 'ord_2', quantity: 20 })];

async function list(service: BareService, ...more: string[]) {
  return await service.cli(['orders', 'list', ...more]);
}

describe('--jq', () => {
  it.each([
    ['.', `${JSON.stringify(two)}\n`],
    ['.[].id', 'ord_1\nord_2\n'],
    ['length', '2\n'],
    ['[.[].quantity] | add', '25\n'],
    ['.[] | select(.quantity > 10) | .id', 'ord_2\n'],
    ['.[] | [.id, .quantity] | @tsv', 'ord_1\t5\nord_2\t20\n'],
    ['.[] | [.id, .quantity] | @csv', '"ord_1",5\n"ord_2",20\n'],
    ['.[] | "\\(.id): \\(.status)"', 'ord_1: pending\nord_2: pending\n'],
    ['map({id, agentId})[0]', '{"id":"ord_1","agentId":null}\n'],
    ['.[0].agentId', 'null\n'],
    ['.[].nope', 'null\nnull\n'],
    ['.[] | select(.id == "x")', ''],
    ['empty', ''],
    ['def big: .quantity > 10; [.[] | select(big)] | length', '1\n'],
    ['reduce .[] as $order (0; . + $order.quantity)', '25\n'],
    ['infinite | isinfinite', 'true\n'],
    ['"a\\nb"', 'a\nb\n'],
    ['[]', '[]\n'],
    ['.[] | .["id"]', 'ord_1\nord_2\n'],
    ['.[].createdAt[:10]', '2026-11-21\n2026-11-21\n'],
    ['.[].createdAt[0:10]', '2026-11-21\n2026-11-21\n'],
    ['.[-1].id', 'ord_2\n'],
    [
      'group_by(.status) | map({status: .[0].status, count: length})',
      '[{"status":"pending","count":2}]\n',
    ],
    ['.[0] | to_entries | map(.key) | .[0]', 'id\n'],
    ['.[] | if .agentId == null then "none" else .agentId end', 'none\nnone\n'],
    ['{a: [], b: {}}', '{"a":[],"b":{}}\n'],
    ['.[1:][].id', 'ord_2\n'],
    ['.[].id[4:]', '1\n2\n'],
    ['.[] | -.quantity', '-5\n-20\n'],
    ['sort_by(-.quantity) | .[].id', 'ord_2\nord_1\n'],
    ['.[] | .agentId // "none"', 'none\nnone\n'],
    ['[.[] | .agentId?]', '[null,null]\n'],
    ['.[] | ."id"', 'ord_1\nord_2\n'],
    ['.[0] | keys[0]', 'agentId\n'],
    ['del(.[0]) | length', '1\n'],
    ['.[] | @sh "get \\(.id)"', "get 'ord_1'\nget 'ord_2'\n"],
    ['.[] | try error("x") catch .', 'x\nx\n'],
    ['[limit(1; .[])] | length', '1\n'],
    ['100000000000000000000', '100000000000000000000\n'],
    ['"2026-11-21T00:00:00Z" | fromdate', '1795219200\n'],
    ['"2026-11-21T00:00:00.000Z" | fromdate', '1795219200\n'],
    ['"2026-11-21T00:00:00.250Z" | fromdateiso8601', '1795219200.25\n'],
    ['"2026-11-21T00:00:00.250Z" | fromdate | todate', '2026-11-21T00:00:00Z\n'],
  ])(
    '%s of a list is applied to the whole array: strings raw, the rest as JSON',
    async (expression, stdout) => {
      const service = await BareService.start();
      service.orders = two;
      for (const form of [[], ['--output', 'json']]) {
        expect(await list(service, '--jq', expression, ...form)).toEqual({
          exitCode: 0,
          stdout,
          stderr: '',
        });
      }
    },
  );

  it('receives each item separately with ndjson', async () => {
    const service = await BareService.start();
    service.orders = two;
    const { stdout } = await list(service, '--output', 'ndjson', '--jq', '.id, .quantity');
    expect(stdout).toBe('ord_1\n5\nord_2\n20\n');
  });

  it('receives an empty array for an empty list, and nothing with ndjson', async () => {
    const service = await BareService.start();
    expect((await list(service, '--jq', 'length')).stdout).toBe('0\n');
    expect((await list(service, '--jq', 'length', '--output', 'ndjson')).stdout).toBe('');
  });

  it('writes a page of ndjson before it requests the next', async () => {
    const service = await BareService.start();
    const stdout = new FakeStream();
    const writtenBefore: string[] = [];
    service.instead = ({ query }) => {
      writtenBefore.push(stdout.text);
      const order = query.cursor ? two[1] : two[0];
      return { status: 200, body: { data: [order], nextCursor: query.cursor ? null : 'next' } };
    };
    const argv = ['orders', 'list', '--all', '--output', 'ndjson', '--jq', '.id'];
    expect((await service.cli(argv, { stdout })).exitCode).toBe(0);
    expect(writtenBefore).toEqual(['', 'ord_1\n']);
    expect(stdout.text).toBe('ord_1\nord_2\n');
  });

  it('prints only complete parts of an interrupted list: pages of ndjson, and no array', async () => {
    const service = await BareService.start();
    for (const [output, stdout] of [
      ['ndjson', 'ord_1\n'],
      ['json', ''],
    ] as const) {
      const interrupt = new AbortController();
      service.instead = ({ query }) => {
        if (!query.cursor) return { status: 200, body: { data: [two[0]], nextCursor: 'next' } };
        interrupt.abort();
        return new Promise(() => {});
      };
      const expression = output === 'json' ? '.[].id' : '.id';
      const argv = ['orders', 'list', '--all', '--output', output, '--jq', expression];
      const result = await service.cli(argv, { signal: interrupt.signal });
      expect(result).toMatchObject({ exitCode: 130, stdout });
      expect(JSON.parse(result.stderr).error.code).toBe('aborted');
    }
  });

  it.each(['table', 'csv'])('is rejected with %s before anything is sent', async (output) => {
    const service = await BareService.start();
    const { exitCode, stdout, stderr } = await list(service, '--jq', '.', '--output', output);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`--jq needs JSON output, not ${output}`);
    expect(service.seen).toEqual([]);
  });

  it.each([
    ['.[', 'syntax error, unexpected end of file'],
    ['', 'Top-level program not given'],
    [' ', 'Top-level program not given'],
    ['nope', 'nope/0 is not defined'],
    ['.[] | map(.id; 1)', 'map/2 is not defined'],
    ['[.[] | {id: (.id | nope)}]', 'nope/0 is not defined'],
    ['if . then 1 else nope end', 'nope/0 is not defined'],
    ['"\\(nope)"', 'nope/0 is not defined'],
    ['.id |', 'syntax error'],
    ['.[] | [.id,]', 'syntax error'],
    ['.[] | $nope', '$nope is not defined'],
    ['include "nope"; .', 'unexpected include'],
  ])('%j is rejected by every command before anything is sent', async (expression, reason) => {
    const service = await BareService.start();
    service.notifications = [aNotification({ id: 'ntf_1' })];
    for (const argv of [
      ['orders', 'list'],
      ['orders', 'create', '--listing', 'lst_1', '--quantity', '1'],
      ['notifications', 'list'],
      ['notifications', 'read', '--all'],
      ['notifications', 'read', 'ntf_1', '--output', 'ndjson'],
    ]) {
      const { exitCode, stdout, stderr } = await service.cli([...argv, `--jq=${expression}`]);
      expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
      expect(JSON.parse(stderr).error).toMatchObject({
        code: 'usage',
        message: expect.stringContaining(
          `--jq ${JSON.stringify(expression)} is not a valid expression: `,
        ),
      });
      expect(JSON.parse(stderr).error.message).toContain(reason);
    }
    expect(service.seen).toEqual([]);
  });

  it.each([
    ['.id', 'Cannot index array with string'],
    ['.[] | .quantity | .[]', 'Cannot iterate over number'],
    ['.[] | if .quantity > 10 then .id + 1 else .id end', 'cannot be added'],
    ['.[0].id, (.[1].quantity | .[])', 'Cannot iterate over number'],
    ['error("boo")', 'boo'],
    ['"bye" | halt_error', 'bye'],
  ])(
    '%s does not fit the data: it exits 1 and prints nothing of it',
    async (expression, reason) => {
      const service = await BareService.start();
      service.orders = two;
      const { exitCode, stdout, stderr } = await list(service, '--jq', expression);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(JSON.parse(stderr).error).toMatchObject({
        code: 'output_failed',
        message: expect.stringContaining(`does not fit the data: `),
        hint: 'To see its input, omit --jq and set --output json.',
      });
      expect(JSON.parse(stderr).error.message).toContain(reason);
    },
  );

  it('that needs more memory than jq has is an error that says so', async () => {
    const service = await BareService.start();
    const { exitCode, stderr } = await list(service, '--jq', '[range(3e7)] | length');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr).error.message).toContain('needs more memory than jq has here');
  });

  it('that fails at a later item of ndjson leaves whole lines on stdout', async () => {
    const service = await BareService.start();
    service.instead = ({ query }) => ({
      status: 200,
      body: { data: query.cursor ? [two[0], two[1]] : two, nextCursor: query.cursor ? null : 'n' },
    });
    const expression = 'if .quantity > 10 then .id else .id end, (.quantity | tostring)';
    const whole = await list(service, '--all', '--output', 'ndjson', '--jq', expression);
    expect(whole.stdout).toBe('ord_1\n5\nord_2\n20\n'.repeat(2));
    service.orders = two;
    service.instead = () => undefined;
    const broken = 'if .quantity > 10 then (.quantity | .[]) else .id end';
    const { exitCode, stdout } = await list(service, '--output', 'ndjson', '--jq', broken);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  });

  it('hides the environment, and with it the key, from an expression', async () => {
    const service = await BareService.start();
    const { stdout } = await list(service, '--jq', 'env, $ENV');
    expect(stdout).not.toMatch(/tpk_|TRADEPOST/);
    expect(stdout).not.toBe('');
  });

  it('prints one line per result without control characters on a terminal, for any data', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u001b[2J', 'a\nb', '\r', '\u009b1m', '\u202e', '\u2028', '\ufeff', 'a\tb'),
    );
    const forms = ['.[].id', '.[]', '.[] | [.id] | @csv', '.[] | {(.id): 1}'];
    const lists = fc.array(fc.record({ id: text }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...forms), lists, async (expression, items) => {
        const format = await createJqFormat(expression, 'json', true, signal);
        const lines = ((await format.formatItems(items)) + (await format.end())).split('\n');
        expect(lines).toHaveLength(items.length + 1);
        for (const line of lines) {
          const shown = line.replaceAll('\t', '');
          expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff]/u);
        }
      }),
    );
  });

  it('passes each string unchanged to a program, whatever it contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (id) => {
        const format = await createJqFormat('.id', 'ndjson', false, signal);
        expect(await format.formatItems([{ id }])).toBe(`${id}\n`);
      }),
    );
  });

  it('returns any JSON unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), async (items) => {
        const values = items.filter((item) => typeof item !== 'string');
        const format = await createJqFormat('.', 'ndjson', true, signal);
        const lines = (await format.formatItems(values)).split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });
});
