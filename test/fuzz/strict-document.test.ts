import { expect, test } from 'vitest';
import { buildStrictDocument } from './strict-document';

const document = {
  paths: {
    '/v1/orders': {
      get: { responses: { 200: { description: 'Success.' }, default: { description: 'Other.' } } },
    },
  },
  components: {
    schemas: {
      Order: { type: 'object', properties: { id: { type: 'string', examples: ['ord_1'] } } },
      Page: {
        type: 'object',
        properties: { data: { type: 'array', items: { type: 'object', properties: {} } } },
      },
      Headers: { type: 'object', additionalProperties: { type: 'string' } },
      Update: { type: 'object', properties: { status: {} }, additionalProperties: false },
    },
  },
};

function build(examples = new Map<string, string>()) {
  return JSON.parse(buildStrictDocument(JSON.stringify(document), examples));
}

test('the strict document has no response for statuses that it does not list', () => {
  expect(Object.keys(build().paths['/v1/orders'].get.responses)).toEqual(['200']);
});

test('the strict document forbids fields that no schema describes, at any depth', () => {
  const { Order, Page, Headers, Update } = build().components.schemas;
  expect(Order.additionalProperties).toBe(false);
  expect(Page.additionalProperties).toBe(false);
  expect(Page.properties.data.items.additionalProperties).toBe(false);
  expect(Headers.additionalProperties).toEqual({ type: 'string' });
  expect(Update.additionalProperties).toBe(false);
});

test('the strict document has IDs that exist in its examples', () => {
  const { Order } = build(new Map([['ord_1', 'ord_2']])).components.schemas;
  expect(Order.properties.id.examples).toEqual(['ord_2']);
});
