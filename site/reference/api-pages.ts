import document from '@tradepost/contract/openapi.json' with { type: 'json' };
import { code, escapeText, fence, type PageText, paragraphs, table } from './markdown';

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
}

interface Content {
  'application/json'?: { example?: unknown; schema?: { $ref?: string } };
}

interface Response {
  $ref?: string;
  description?: string;
  content?: Content & { 'application/problem+json'?: { schema?: { $ref?: string } } };
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  'x-extension'?: boolean;
  'x-codeSamples'?: { lang: string; label?: string; source: string }[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
}

const { components, info, paths, tags } = document;

/** Languages of the samples by their names in the document, as fences name them. */
const languages: Record<string, string> = {
  Shell: 'sh',
  TypeScript: 'ts',
  Python: 'python',
  Go: 'go',
};

/** Returns a component that may be given by a reference. */
function resolve<T extends { $ref?: string }>(given: T, kind: 'parameters' | 'responses'): T {
  const name = given.$ref?.split('/').at(-1);
  if (name === undefined) return given;
  const found = (components[kind] as unknown as Record<string, T>)[name];
  if (found === undefined) throw new Error(`The OpenAPI document has no ${given.$ref}.`);
  return found;
}

const withoutPeriod = (text: string) => text.replace(/\.$/, '');

/** Writes the heading of an operation; its anchor is made of the summary. */
function operationSection(method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map((given) => resolve(given, 'parameters'));
  const responses = Object.entries(operation.responses).map(
    ([status, given]) => [status, resolve(given, 'responses')] as const,
  );
  const success = responses.find(([status]) => status.startsWith('2'))?.[1];
  const request = operation.requestBody?.content['application/json']?.example;
  const response = success?.content?.['application/json']?.example;
  const samples = operation['x-codeSamples'] ?? [];
  return paragraphs(
    `## ${escapeText(withoutPeriod(operation.summary))}`,
    `**${method.toUpperCase()}** ${code(path)}${operation['x-extension'] ? ' · extension' : ''} · operation ${code(operation.operationId)}`,
    escapeText(operation.description ?? ''),
    parameters.length === 0
      ? ''
      : table(
          ['Parameter', 'In', 'Required', 'Meaning'],
          parameters.map((parameter) => [
            code(parameter.name),
            parameter.in,
            parameter.required ? 'yes' : 'no',
            escapeText(parameter.description ?? ''),
          ]),
        ),
    request === undefined
      ? ''
      : paragraphs('**Request body**', fence('json', JSON.stringify(request, null, 2))),
    response === undefined
      ? ''
      : paragraphs('**Response**', fence('json', JSON.stringify(response, null, 2))),
    table(
      ['Status', 'Meaning'],
      responses.map(([status, { description }]) => [
        code(status),
        // A list of problems, each of which is a sentence.
        escapeText((description ?? '').replace(/^- /, '').replaceAll('\n- ', ' ')),
      ]),
    ),
    ...samples.map(({ lang, label, source }) =>
      paragraphs(`**${label ?? lang}**`, fence(languages[lang] ?? '', source)),
    ),
  );
}

/** All operations of the document with their methods and paths, in its order. */
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: operation as unknown as Operation,
  })),
);

/**
 * Writes the API reference from the contract's OpenAPI document: an overview of all operations, and a page for each tag with
 * their parameters, examples, statuses and samples. Receivers' operations are the event catalogue.
 */
export function apiPages(): PageText[] {
  const tagged = tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const overview: PageText = {
    path: 'api/index.md',
    title: 'API reference',
    group: 'api',
    description: 'All endpoints of the OpenAPI document.',
    body: paragraphs(
      info.description,
      '## Endpoints',
      table(
        ['Endpoint', 'What it does', 'Page'],
        operations.map(({ method, path, operation }) => [
          code(`${method.toUpperCase()} ${path}`),
          escapeText(operation.summary),
          `[${operation.tags[0]}](${operation.tags[0]}.md)`,
        ]),
      ),
      'For programs: [openapi.json](../openapi.json) (OpenAPI 3.1).',
    ),
  };
  const pages = tagged
    .filter((tag) => tag.operations.length > 0)
    .map(
      (tag): PageText => ({
        path: `api/${tag.name}.md`,
        title: `API: ${tag.name}`,
        group: 'api',
        description: tag.description,
        body: paragraphs(
          escapeText(tag.description),
          ...tag.operations.map(({ method, path, operation }) =>
            operationSection(method, path, operation),
          ),
        ),
      }),
    );
  return [overview, ...pages];
}
