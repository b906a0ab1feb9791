import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import document from '../../openapi.json' with { type: 'json' };

test('the document is valid by the OpenAPI 3.1 schema', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});
