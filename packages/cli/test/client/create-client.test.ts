import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import {
  aNotification,
  aProblem,
  BareService,
  type StubResponse,
} from '../helpers/minimal-service';

/** A service that rejects `limit` with this response, and has a second page of orders. */
async function startStrictService(rejection: StubResponse): Promise<BareService> {
  const service = await BareService.start();
  service.notifications = [aNotification()];
  service.instead = ({ method, path, query: { limit, cursor } }) => {
    if (limit !== undefined) return rejection;
    if (method !== 'GET' || path !== '/v1/orders') return undefined;
    const data = [anOrder({ id: cursor === undefined ? 'ord_2' : 'ord_1' })];
    return { status: 200, body: { data, nextCursor: cursor === undefined ? 'c' : null } };
  };
  return service;
}

describe.each<[string, StubResponse]>([
  ['without a text', { status: 400, body: undefined }],
  ['as HTML', { status: 400, body: '<h1>Bad Request</h1>' }],
  ['as an empty object', { status: 400, body: {} }],
  ['in a form of its own', { status: 400, body: { error: 'Unknown query parameter' } }],
  ['as unknown', aProblem(400, 'invalid', { detail: 'Unknown parameter: limit' })],
  ['as too large', { status: 422, body: { errors: [{ path: 'limit', message: 'at most 25' }] } }],
])('a service that rejects the limit of a page %s', (_how, rejection) => {
  it.each([
    [
      ['orders', 'list', '--output', 'ndjson', '--fields', 'id'],
      '{"id":"ord_2"}\n{"id":"ord_1"}\n',
    ],
    [
      ['orders', 'list', '--buyer', anOrder().buyerId, '--output', 'csv', '--fields', 'id'],
      'id\nord_2\nord_1\n',
    ],
    [['notifications', 'list', '--output', 'csv', '--fields', 'id'], `id\n${aNotification().id}\n`],
    [
      ['notifications', 'read', '--all', '--yes', '--output', 'csv', '--fields', 'id'],
      `id\n${aNotification().id}\n`,
    ],
  ])('is read by %j', async (argv, expected) => {
    const service = await startStrictService(rejection);
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 0, stdout: expected });
  });

  it.each(['whoami', 'doctor'])('passes the check of %s', async (command) => {
    const service = await startStrictService(rejection);
    const { exitCode, stderr } = await service.cli([command]);
    expect(exitCode, stderr).toBe(0);
  });

  it('is asked for it once', async () => {
    const service = await startStrictService(rejection);
    await service.cli(['orders', 'list']);
    expect(service.seen.map(({ query }) => query)).toEqual([{ limit: '50' }, {}, { cursor: 'c' }]);
  });
});

it('a rejection with and without a limit is reported', async () => {
  const service = await BareService.start();
  service.instead = () => aProblem(400, 'invalid', { detail: 'The account is locked.' });
  const { exitCode, stderr } = await service.cli(['orders', 'list']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('The account is locked.');
  expect(service.seen.map(({ query }) => query)).toEqual([{ limit: '50' }, {}]);
});

it('api sends a limit as it is', async () => {
  const service = await startStrictService({ status: 400, body: undefined });
  const { exitCode } = await service.cli(['api', 'GET', '/v1/orders?limit=5']);
  expect(exitCode).not.toBe(0);
  expect(service.seen.map(({ query }) => query)).toEqual([{ limit: '5' }]);
});
