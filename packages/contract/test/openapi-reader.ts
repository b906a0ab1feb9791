import type { oas31 } from 'zod-openapi';

/** An operation of a document, with where it was found. */
export interface FoundOperation {
  method: string;
  path: string;
  operation: oas31.OperationObject;
}

/** Every operation of a document's `paths` or `webhooks`. */
export function operationsOf(paths: oas31.PathsObject = {}): FoundOperation[] {
  const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : { method, path, operation };
    }),
  );
}

/** What a reference of the document points to; what is no reference is given back. */
export function resolved<Value>(
  document: oas31.OpenAPIObject,
  value: Value | oas31.ReferenceObject | undefined,
): Value {
  if (value === undefined) throw new Error('There is nothing to resolve.');
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as Value;
  let found: unknown = document;
  for (const key of String(value.$ref).split('/').slice(1)) {
    found = (found as Record<string, unknown> | undefined)?.[key];
  }
  if (found === undefined) throw new Error(`${value.$ref} points to nothing.`);
  return found as Value;
}
