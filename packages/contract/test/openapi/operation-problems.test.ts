import { describe, expect, test } from 'vitest';
import { contract } from '../../src/contract';
import { listProblems } from '../../src/openapi/operation-problems';
import { listRoutes } from '../../src/openapi/routes';
import { type ProblemCode, problemCodes, problems } from '../../src/problems/problem';

const routes = listRoutes(contract);
const statuses = [...new Set(problemCodes.map((code) => problems[code].status))];

/** Codes of the protocol: every operation of its kind has them. */
const protocol: ProblemCode[] = [
  ...(['malformed_request', 'malformed_json', 'missing_api_key', 'invalid_api_key'] as const),
  ...([
    'account_suspended',
    'read_only_api_key',
    'body_too_large',
    'unsupported_media_type',
  ] as const),
  ...(['validation_failed', 'rate_limited', 'internal_error'] as const),
  ...(['overloaded', 'shutting_down', 'store_unavailable'] as const),
];

/** What an operation may respond with beyond that. */
const own: Record<string, ProblemCode[]> = {
  listOrders: ['invalid_cursor'],
  createOrder: [
    ...(['account_kind_not_allowed', 'insufficient_quantity'] as const),
    ...(['listing_not_found', 'idempotency_key_reused'] as const),
  ],
  getOrder: ['order_not_found'],
  updateOrder: [
    ...(['account_kind_not_allowed', 'order_not_found'] as const),
    ...(['invalid_transition', 'precondition_failed'] as const),
  ],
  getOrderTimeline: ['order_not_found'],
  listNotifications: ['invalid_cursor'],
  markNotificationRead: ['notification_not_found'],
  markNotificationsRead: ['idempotency_key_reused'],
  createWebhook: ['webhook_limit_reached', 'webhook_deleted', 'idempotency_key_reused'],
  listWebhooks: ['invalid_cursor'],
  getWebhook: ['webhook_not_found'],
  getWebhookStats: ['webhook_not_found'],
  updateWebhook: ['webhook_not_found'],
  deleteWebhook: ['webhook_not_found'],
  stageWebhookSecret: ['webhook_not_found', 'webhook_deleted', 'idempotency_key_reused'],
  promoteWebhookSecret: [
    ...(['webhook_not_found', 'webhook_deleted'] as const),
    ...(['no_staged_secret', 'idempotency_key_reused'] as const),
  ],
  sendTestEvent: ['webhook_not_found', 'webhook_paused', 'idempotency_key_reused'],
  replayDeliveries: ['webhook_not_found', 'invalid_cursor', 'idempotency_key_reused'],
  listDeliveries: ['invalid_cursor'],
  getDelivery: ['delivery_not_found'],
  replayDelivery: ['delivery_not_found', 'delivery_in_progress', 'idempotency_key_reused'],
  listEvents: ['invalid_cursor', 'cursor_expired'],
  getEvent: ['event_not_found'],
  listPartners: ['invalid_cursor'],
  getAccount: [],
  getSummary: [],
  listKeys: ['invalid_cursor'],
  createKey: ['session_not_allowed', 'key_limit_reached', 'idempotency_key_reused'],
  revokeKey: ['key_not_found'],
  createSignInCode: ['session_not_allowed'],
  createSession: ['invalid_sign_in_code'],
};

test('every operation has an expectation', () => {
  expect(Object.keys(own)).toEqual(routes.map(({ metadata }) => metadata.operationId));
});

describe.each(routes.map((found) => [found.metadata.operationId, found] as const))(
  '%s',
  (operationId, found) => {
    const codes = statuses.flatMap((status) => listProblems(found, status));

    test('lists the problems that only some operations have', () => {
      const others = codes.filter((code) => !protocol.includes(code));
      expect(others.toSorted()).toEqual((own[operationId] ?? []).toSorted());
    });

    test('lists the problems of requests that change something only if it does', () => {
      const changes = found.route.method !== 'GET';
      const forAll = ['createSignInCode', 'createSession'].includes(operationId);
      expect(codes.includes('read_only_api_key')).toBe(changes && !forAll);
      expect(codes.includes('missing_api_key')).toBe(operationId !== 'createSession');
      const hasBody = changes && found.route.method !== 'DELETE';
      for (const code of ['malformed_json', 'body_too_large', 'unsupported_media_type'] as const) {
        expect(codes.includes(code), code).toBe(hasBody);
      }
    });

    test('has a response for each status of its problems, and problems for each response', () => {
      const documented = Object.keys(found.route.responses).map(Number);
      const listed = new Set(codes.map((code) => problems[code].status));
      expect([...listed].toSorted()).toEqual(
        documented.filter((status) => status >= 400).toSorted(),
      );
    });
  },
);
