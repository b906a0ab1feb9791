import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli';

/** Returns the hint of a command line that is rejected, without the pointer to the help. */
async function suggestionFor(argv: string[]): Promise<string | null> {
  const { exitCode, stdout, stderr } = await runCli(argv);
  expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
  const hint = stderr.startsWith('{')
    ? JSON.parse(stderr).error.hint
    : /^hint: (.*)$/m.exec(stderr)?.[1];
  return /Did you mean (.*)\? See `/.exec(hint)?.[1] ?? null;
}

describe('a choice in another case', () => {
  it.each([
    ['orders list --status Pending', '--status pending'],
    ['orders list --status=Pending,CONFIRMED', '--status pending,confirmed'],
    ['orders list --status Canceled', '--status cancelled'],
    ['orders list --sort CreatedAt', '--sort createdAt'],
    ['orders list --output JSON', '--output json'],
    ['orders list -o Csv', '--output csv'],
    ['orders list --time ISO', '--time iso'],
    ['orders set-status ord_1 confirmed --if-status Pending', '--if-status pending'],
    ['orders set-status ord_1 Confirmed', 'confirmed'],
    ['webhooks register --url https://a.example --events Order.Created', '--events order.created'],
    ['webhooks test whk_1 --event Order.Created', '--event order.created'],
    ['webhooks trigger Order.Created', 'order.created'],
    ['completion Bash', 'bash'],
    ['orders list --status Pending,nonsense', null],
    ['orders list --limit X', null],
  ])('of `%s` leads to: %s', async (line, suggestion) => {
    expect(await suggestionFor(line.split(' '))).toBe(suggestion);
  });
});

describe('names of fields after --json', () => {
  it.each([
    ['orders list --json id,status', '--fields id,status --output json'],
    ['orders list --json=id,status', '--fields id,status --output json'],
    ['orders get ord_1 --json id', '--fields id --output json'],
    ['webhooks list --json url,status', '--fields url,status --output json'],
    ['orders get ord_1 --json nonsense', null],
    ['orders get ord_1 id,status', null],
    ['orders list --order-by createdAt -o json', '--sort createdAt'],
    ['orders list --order status --output json', '--sort'],
    ['orders create -o json --qty quantity', '--quantity'],
    ['orders list --bogus status --output json', null],
    ['orders list --status status --output json', null],
    ['orders list --json=nonsense', null],
  ])('of `%s` lead to: %s', async (line, suggestion) => {
    expect(await suggestionFor(line.split(' '))).toBe(suggestion);
  });
});

describe('a request without its method', () => {
  it.each([
    ['api /v1/orders', '`tradepost api GET /v1/orders`'],
    ['api v1/orders', '`tradepost api GET /v1/orders`'],
    ['api /v1/orders?secret=hunter2', '`tradepost api GET /v1/orders …`'],
    ['api /v1/orders --field a=b', '`tradepost api POST /v1/orders …`'],
    ['api /v1/orders -d a=b', '`tradepost api POST /v1/orders …`'],
    ['api -X PUT /v1/x -d a=b', '`tradepost api PUT /v1/x …`'],
    ['api /v1/orders --input -', '`tradepost api POST /v1/orders …`'],
    ['api /v1/orders --query a=b', '`tradepost api GET /v1/orders …`'],
    ['api --paginate /v1/orders', '`tradepost api GET /v1/orders …`'],
    ['api /v1/orders -H a:b', '--header'],
    ['api /v1/orders GET', '`tradepost api GET /v1/orders`'],
    ['api /v1/orders -X POST', '`tradepost api POST /v1/orders`'],
    ['api -X POST /v1/orders', '`tradepost api POST /v1/orders`'],
    ['api /v1/orders -XPOST', '`tradepost api POST /v1/orders`'],
    ['api /v1/orders --method=patch', '`tradepost api PATCH /v1/orders`'],
    ['api --request', '`tradepost api METHOD PATH`'],
    ['api GET', null],
    ['api fetch /v1/orders', null],
  ])('`%s` leads to: %s', async (line, suggestion) => {
    expect(await suggestionFor(line.split(' '))).toBe(suggestion);
  });

  it.each([
    [['/v1/orders'], 'Missing HTTP method'],
    [['https://trade.example/v1/orders'], 'Missing HTTP method'],
    [['fetch'], "Unknown HTTP method 'fetch', and missing path"],
    [['get'], "Missing required argument 'path'"],
  ])('%j is reported as: %s', async (args, message) => {
    const { exitCode, stderr } = await runCli(['api', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error: ${message}\n`);
  });
});

describe('parameters as in other programs', () => {
  it.each([
    [['api', 'POST', '/v1/x', '-d', 'a=ord_1'], '--field a=ord_1'],
    [['api', 'POST', '/v1/x', '-da=b'], '--field a=VALUE'],
    [['api', 'POST', '/v1/x', '-f', 'a=pending', '-F', 'c=1'], '--field a=pending --field c=1'],
    [['api', 'POST', '/v1/x', '--data=a=true'], '--field a=true'],
    [['api', 'GET', '/v1/orders', '-f', 'status=pending'], '--query status=pending'],
    [
      ['api', 'POST', '/v1/x', '-d', 'listingId=lst_1&quantity=5'],
      '--field listingId=lst_1 --field quantity=5',
    ],
    [['api', 'POST', '/v1/x', '-f', 'a=b c'], '--field a=VALUE'],
    [['api', 'POST', '/v1/x', '-d', '{"a":1}'], '--input FILE'],
    [['api', 'POST', '/v1/x', '-d', '@body.json'], '--input FILE'],
    [['orders', 'create', '-d', 'listingId=lst_1'], '--listing lst_1'],
    [
      ['orders', 'create', '-d', 'listingId=lst_1', '-d', 'quantity=5'],
      '--listing lst_1 --quantity 5',
    ],
    [
      ['orders', 'create', '--data', '{"listingId":"lst_1","quantity":5}'],
      '--listing lst_1 --quantity 5',
    ],
    [['orders', 'list', '-d', 'limit=3', '-d', 'status=pending'], '--limit 3 --status pending'],
    [
      ['webhooks', 'register', '-d', 'url=https://a.example', '-d', 'events=order.created'],
      '--url <url> --events order.created',
    ],
    [['orders', 'create', '-d', '{'], null],
    [['orders', 'list', '-d', 'nonsense=1'], null],
    [['orders', 'list', '-d'], null],
  ])('%j lead to: %s', async (argv, suggestion) => {
    expect(await suggestionFor(argv)).toBe(suggestion);
  });

  it('are shown without values that may be secrets', async () => {
    for (const argv of [
      ['api', 'POST', '/v1/x', '-d', 'password=hunter2'],
      ['api', 'POST', '/v1/x', '-f', 'pwd=hunter2', '-f', 'client_pin=12345'],
      ['api', 'POST', '/v1/x', '-Hx-secret: hunter2'],
      ['orders', 'create', '-d', 'listingId=hunter2'],
      ['webhooks', 'register', '-d', 'url=https://hunter2.example'],
    ]) {
      const { exitCode, stderr } = await runCli(argv);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('Did you mean --');
      expect(stderr).not.toMatch(/hunter2|12345/);
    }
  });
});
