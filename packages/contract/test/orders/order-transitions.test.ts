import { expect, it } from 'vitest';
import { contract, orderStatuses, orderTransitions } from '../../src';

it('the description of PATCH /v1/orders/{id} has the allowed transitions', () => {
  const { description = '' } = contract.orders.update;
  for (const status of orderStatuses) {
    const next = orderTransitions[status].map((to) => `\`${to}\``);
    const [, described] = new RegExp(`from \`${status}\` to ([^;.]*)[;.]`).exec(description) ?? [];
    expect(described?.match(/`\w+`/g) ?? []).toEqual(next);
  }
  expect(description).toContain('`completed` and `cancelled` are final');
});

it('an order that has left a status never returns to it', () => {
  for (const from of orderStatuses) {
    const reachable = new Set(orderTransitions[from]);
    for (const status of reachable)
      for (const next of orderTransitions[status]) reachable.add(next);
    expect(reachable).not.toContain(from);
  }
});
