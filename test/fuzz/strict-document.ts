/** A node of a JSON document. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function closeObjects(node: Json): Json {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (!isObject(node)) return node;
  const closed = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closeObjects(value)]),
  );
  if (!isObject(node.properties) || 'additionalProperties' in node) return closed;
  return { ...closed, additionalProperties: false };
}

/**
 * Returns a copy of the OpenAPI document that permits exactly what this version of the service does. The document leaves room
 * for later versions: responses may have more fields, and `default` describes every other status. In a test of one version,
 * either would hide a fault.
 *
 * @param text The document.
 * @param examples IDs of examples, and what to replace them with: IDs that exist.
 */
export function buildStrictDocument(text: string, examples: ReadonlyMap<string, string>): string {
  let replaced = text;
  for (const [example, existing] of examples) replaced = replaced.replaceAll(example, existing);
  const document = JSON.parse(replaced);
  document.components.schemas = closeObjects(document.components.schemas);
  for (const path of Object.values<Record<string, { responses: Record<string, unknown> }>>(
    document.paths,
  )) {
    for (const operation of Object.values(path)) delete operation.responses.default;
  }
  return JSON.stringify(document);
}
