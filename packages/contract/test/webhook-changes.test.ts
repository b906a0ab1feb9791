import { describe, expect, test } from 'vitest';
import { eventKinds, updateWebhookSchema } from '../src/index';
import { complaints } from './complaints';

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

  test('changes something', () => {
    expect(complaints(updateWebhookSchema, {})).toEqual([
      ': must have at least one of url, events, status',
    ]);
  });

  test('may not have an unknown field, which does not count as a change', () => {
    const unknown = 'stauts: unknown field; known: url, events, status';
    expect(complaints(updateWebhookSchema, { ...changes, stauts: 'paused' })).toEqual([unknown]);
    expect(complaints(updateWebhookSchema, { stauts: 'paused' })).toEqual([
      unknown,
      ': must have at least one of url, events, status',
    ]);
  });

  test('may not set what the service sets', () => {
    for (const name of ['id', 'secret', 'createdAt', 'heldUntil']) {
      expect(complaints(updateWebhookSchema, { ...changes, [name]: 'x' })).toHaveLength(1);
    }
  });

  test('is held to the rules of a registration, with all faults told at once', () => {
    const refused = { url: 'https://me@receiver.example', events: [], status: 'stopped' };
    expect(complaints(updateWebhookSchema, refused)).toEqual([
      'url: must not contain credentials: deliveries are authenticated by their signature',
      'events: must name at least one event kind',
      'status: must be one of active, paused',
    ]);
    const twice = [...eventKinds, 'order.created'];
    expect(complaints(updateWebhookSchema, { events: twice })).toEqual([
      'events: must name each event kind once',
    ]);
  });

  test('may not unset a field', () => {
    for (const name of ['url', 'events', 'status']) {
      expect(complaints(updateWebhookSchema, { [name]: null })).toHaveLength(1);
    }
  });

  test.each([[undefined], [null], ['text'], [[changes]], [7]])('is not %j', (value) => {
    expect(complaints(updateWebhookSchema, value)).toEqual([': must be a JSON object']);
  });
});
