import type { oas31 } from 'zod-openapi';

/** Where the ID of a linked operation's path comes from: an OpenAPI runtime expression. */
const createdId = '$response.body#/data/id';
const firstId = '$response.body#/data/0/id';

/** The operations that use the result of an operation, by operation ID. */
const linkedOperations: Record<string, { id: string; operations: string[] }> = {
  createOrder: { id: createdId, operations: ['getOrder', 'updateOrder'] },
  getOrder: { id: createdId, operations: ['updateOrder', 'getOrderTimeline'] },
  updateOrder: { id: createdId, operations: ['getOrder', 'getOrderTimeline'] },
  listOrders: { id: firstId, operations: ['getOrder', 'updateOrder'] },
  listNotifications: { id: firstId, operations: ['markNotificationRead'] },
  createWebhook: {
    id: createdId,
    operations: [
      'getWebhook',
      'updateWebhook',
      'sendTestEvent',
      'stageWebhookSecret',
      'promoteWebhookSecret',
      'deleteWebhook',
    ],
  },
  getWebhook: {
    id: createdId,
    operations: ['getWebhookStats', 'updateWebhook', 'deleteWebhook'],
  },
  updateWebhook: { id: createdId, operations: ['getWebhook', 'deleteWebhook'] },
  stageWebhookSecret: {
    id: '$response.body#/data/webhookId',
    operations: ['promoteWebhookSecret'],
  },
  sendTestEvent: { id: createdId, operations: ['getDelivery', 'replayDelivery'] },
  createKey: { id: createdId, operations: ['revokeKey'] },
  listDeliveries: { id: firstId, operations: ['getDelivery', 'replayDelivery'] },
};

/** Builds the `links` of an operation's successful response: what to call next, with which ID. */
export function buildLinks(operationId: string): Pick<oas31.ResponseObject, 'links'> {
  const linked = linkedOperations[operationId];
  if (linked === undefined) return {};
  const links = linked.operations.map((next) => [
    next,
    { operationId: next, parameters: { id: linked.id } },
  ]);
  return { links: Object.fromEntries(links) };
}
