import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allocateDescriptors,
  readDescriptorLimit,
  reservedDescriptors,
} from '../../src/runtime/socket-budget';

const both = { api: true, deliveries: true };

describe('the budget of file descriptors', () => {
  test('gives each use of sockets its measured number on most machines', () => {
    const all = { connections: 10_000, attempts: 2_000, idle: 512 };
    expect(allocateDescriptors(1_048_576, both)).toMatchObject({ connections: 10_000 });
    expect(allocateDescriptors(null, both)).toEqual(all);
  });

  test.each([
    [1_024, both, { connections: 480, attempts: 384, idle: 96 }],
    [1_024, { api: true, deliveries: false }, { connections: 960 }],
    [1_024, { api: false, deliveries: true }, { attempts: 768, idle: 192 }],
    [16, both, { connections: 16, attempts: 16, idle: 0 }],
  ])('shares %i among the uses of the role: %j', (limit, serves, expected) => {
    expect(allocateDescriptors(limit, serves)).toMatchObject(expected);
  });

  test('always leaves enough for deliveries and the database', () => {
    fc.assert(
      fc.property(fc.integer({ min: 128, max: 2_000_000 }), (limit) => {
        const budget = allocateDescriptors(limit, both);
        expect(budget.connections + reservedDescriptors(budget)).toBeLessThanOrEqual(limit);
        expect(budget.attempts).toBeGreaterThanOrEqual(16);
      }),
    );
  });

  test('is based on the limit of the process', () => {
    const limit = readDescriptorLimit();
    expect(limit === null || limit > 0).toBe(true);
  });
});
