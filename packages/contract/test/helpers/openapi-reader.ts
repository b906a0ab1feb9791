import type { oas31 } from 'zod-openapi';

/** An operation of a document, with its method and path. */
export interface FoundOperation {
  method: string;
  path: string;
  operation: oas31.OperationObject;
}

/** Lists the operations of a document's `paths` or `webhooks`. */
export function listOperations(paths: oas31.PathsObject = {}): FoundOperation[] {
  const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : { method, path, operation };
    }),
  );
}

/** Resolves a reference of the document. Returns any other value unchanged. */
export function resolved<Value>(
  document: oas31.OpenAPIObject,
  value: Value | oas31.ReferenceObject | undefined,
): Value {
  if (value === undefined) throw new Error('Nothing to resolve.');
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as Value;
  let found: unknown = document;
  for (const key of String(value.$ref).split('/').slice(1)) {
    found = (found as Record<string, unknown> | undefined)?.[key];
  }
  if (found === undefined) throw new Error(`${value.$ref} points to nothing.`);
  return found as Value;
}
