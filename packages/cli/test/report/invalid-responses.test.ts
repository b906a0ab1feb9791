import { describe, expect, it } from 'vitest';
import {
  aProblem,
  BareService,
  type SeenRequest,
  type StubResponse,
} from '../helpers/minimal-service';
import { aWebhook } from '../helpers/webhook-builders';

const lists = [
  ['orders', 'list'],
  ['orders', 'list', '--since', '2026-11-01'],
  ['notifications', 'list'],
  ['notifications', 'list', '--unread'],
  ['webhooks', 'list'],
  ['webhooks', 'deliveries'],
  ['webhooks', 'deliveries', '--status-class', '5xx'],
  ['events', 'list'],
];

/** The last events have a cursor in each direction. */
function onePage(data: unknown[], { path }: SeenRequest): StubResponse {
  const log = { nextCursor: 'end', previousCursor: null };
  return { status: 200, body: { data, ...(path === '/v1/events' ? log : { nextCursor: null }) } };
}

describe.each(lists.map((argv) => ({ argv, name: argv.join(' ') })))(
  '$name, of a faulty service,',
  ({ argv }) => {
    const command = argv.filter((word) => word !== undefined);

    it.each([[null], [5], ['text'], [[]]])('ends with an error for the item %j', async (item) => {
      const service = await BareService.start();
      service.instead = (request) => onePage([item], request);
      for (const output of ['table', 'json', 'ndjson', 'csv']) {
        for (const fields of [[], ['--fields', 'id']]) {
          const { exitCode, stderr } = await service.cli([
            ...[...command, ...fields, '--output', output],
          ]);
          expect(exitCode).toBe(1);
          expect(stderr).toContain('where an object was expected');
          expect(stderr).not.toContain('fault of tradepost');
        }
      }
    });

    it('shows what there is of an item that lacks fields', async () => {
      const service = await BareService.start();
      const data = [{}, { id: 7, status: null, createdAt: 5, events: 'x', read: {} }];
      service.instead = (request) => onePage(data, request);
      for (const output of ['table', 'json', 'ndjson', 'csv']) {
        const { exitCode, stderr } = await service.cli([...command, '--output', output]);
        expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      }
    });
  },
);

describe('a problem with unknown names', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'is reported like any other: %s',
    async (code) => {
      const service = await BareService.start();
      service.instead = () => aProblem(422, code, { title: 5, requestId: { a: 1 } });
      for (const output of ['table', 'json']) {
        const result = await service.cli(['orders', 'get', 'ord_1', '--output', output]);
        expect(result).toMatchObject({ exitCode: 1, stdout: '' });
        expect(result.stderr).toContain(`Detail of ${code}.`);
        expect(result.stderr).not.toContain('    at ');
      }
    },
  );
});

it('CSV on a terminal has no control characters', async () => {
  const service = await BareService.start();
  const data = [aWebhook({ url: 'https://a.example/\u001b[2J\u0007\u202e' })];
  service.instead = () => ({ status: 200, body: { data, nextCursor: null } });
  const argv = ['webhooks', 'list', '--output', 'csv'];
  const { stdout } = await service.cli(argv, { screen: { columns: 80 } });
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect((await service.cli(argv)).stdout).toContain('\u001b[2J');
});
