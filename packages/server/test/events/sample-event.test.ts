import { type EventKind, eventKinds, webhookEventSchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { sampleEvent } from '../../src/events/sample-event';
import { aMoment, noon } from '../builders';

/** The ids that an envelope's data names. */
function idsIn(body: string): string[] {
  return body.match(/\b(?:ord|usr|lst|tsk)_[0-9A-Z]{26}\b/g) ?? [];
}

describe.each(eventKinds)('a sample of %s', (kind: EventKind) => {
  const sample = sampleEvent(kind, aMoment());
  const envelope = JSON.parse(sample.body);

  test('is what the contract says of its kind, no field less and none more', () => {
    expect(webhookEventSchema.parse(envelope)).toEqual(envelope);
    expect(envelope.event).toBe(kind);
  });

  test('is rendered as any event is: exactly event, createdAt and data, without a space', () => {
    expect(Object.keys(envelope)).toEqual(['event', 'createdAt', 'data']);
    expect(envelope.createdAt).toBe(new Date(noon).toISOString());
    expect(JSON.stringify(envelope)).toBe(sample.body);
  });

  test('is about no order, and has an id of its own', () => {
    expect(sample).toMatchObject({ kind, orderId: null, createdAt: noon });
    expect(sample.id).toMatch(/^evt_[0-9A-Z]{26}$/);
    expect(sample.body).not.toContain(sample.id);
  });

  test('names ids that are new each time', () => {
    const own = idsIn(sample.body);
    const others = idsIn(sampleEvent(kind, aMoment()).body);
    expect(own.length).toBeGreaterThan(0);
    expect(new Set([...own, ...others]).size).toBe(own.length + others.length);
  });
});
