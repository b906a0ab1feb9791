import { describe, expect, test } from 'vitest';
import { allEventTypes, updateWebhookSchema } from '../../src/index';
import { listIssues } from '../helpers/issues';

const changes = {
  url: 'https://receiver.example/new',
  events: ['order.created'],
  status: 'paused',
};

describe('a change of a webhook', () => {
  test.each([
    [changes],
    [{ url: changes.url }],
    [{ events: changes.events }],
    [{ status: 'paused' }],
    [{ status: 'active' }],
    [{ url: changes.url, status: 'active' }],
  ])('may be %j, and nothing is filled in', (change) => {
    expect(updateWebhookSchema.parse(change)).toEqual(change);
  });

  test('requires at least one field', () => {
    expect(listIssues(updateWebhookSchema, {})).toEqual([
      ': must have at least one of url, events, status, description, headers, attemptsPerMinute',
    ]);
  });

  test('rejects an unknown field, which does not count as a change', () => {
    const fields = 'url, events, status, description, headers, attemptsPerMinute';
    const unknown = `stauts: unknown field; known: ${fields}`;
    expect(listIssues(updateWebhookSchema, { ...changes, stauts: 'paused' })).toEqual([unknown]);
    expect(listIssues(updateWebhookSchema, { stauts: 'paused' })).toEqual([
      unknown,
      `: must have at least one of ${fields}`,
    ]);
  });

  test('rejects fields that the service sets', () => {
    for (const name of ['id', 'secret', 'createdAt', 'backoffUntil']) {
      expect(listIssues(updateWebhookSchema, { ...changes, [name]: 'x' })).toHaveLength(1);
    }
  });

  test('follows the rules of a registration and reports all issues at once', () => {
    const rejected = { url: 'https://me@receiver.example', events: [], status: 'stopped' };
    expect(listIssues(updateWebhookSchema, rejected)).toEqual([
      'url: must not contain credentials: deliveries are authenticated by their signature',
      'events: must have at least one event type',
      'status: must be one of active, paused',
    ]);
    const twice = [...allEventTypes, 'order.created'];
    expect(listIssues(updateWebhookSchema, { events: twice })).toEqual([
      'events: must have each event type only once',
    ]);
  });

  test('rejects null for a field', () => {
    for (const name of ['url', 'events', 'status']) {
      expect(listIssues(updateWebhookSchema, { [name]: null })).toHaveLength(1);
    }
  });

  test.each([[undefined], [null], ['text'], [[changes]], [7]])('rejects %j', (value) => {
    expect(listIssues(updateWebhookSchema, value)).toEqual([': must be a JSON object']);
  });
});
