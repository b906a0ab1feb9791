import { code, escapeText, fence, type PageText, paragraphs, table } from './markdown';
import { fieldTable, type JsonSchema } from './schema-fields';

/** The schemas of a folder of the contract, by their file names: `records/order.json`. */
export type Schemas = ReadonlyMap<string, JsonSchema>;

const recordName = (file: string) => file.replace(/^records\/|\.json$/g, '');

/** Returns the path of the page of a record: `schemas/order.md`. */
const recordPath = (file: string) => `schemas/${recordName(file)}.md`;

/** Returns the first sentence of a description, as one cell of a table or one line of the front matter. */
function firstSentence(text = ''): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

function recordPage(file: string, schema: JsonSchema): PageText {
  const name = schema.title ?? recordName(file);
  const fields = schema.properties ? fieldTable(schema) : '';
  return {
    path: recordPath(file),
    title: name,
    group: 'schemas',
    description: firstSentence(schema.description),
    body: paragraphs(
      escapeText(schema.description ?? ''),
      '## Fields',
      fields,
      '## Example',
      fence('json', JSON.stringify(schema.examples?.[0], null, 2)),
      '## JSON Schema',
      `[${code(file.replace('records/', ''))}](./${file}), also ${code(`@tradepost/contract/schemas/${file}`)}. It accepts fields and values that later versions add.`,
      fence('json', JSON.stringify(schema, null, 2)),
    ),
  };
}

/** Writes the pages of the records: an overview of all schemas, and a page for each record. */
export function schemaPages(schemas: Schemas, eventPath: (file: string) => string): PageText[] {
  const files = [...schemas.keys()];
  const records = files.filter((file) => file.startsWith('records/'));
  const row = (file: string, page: string) => {
    const schema = schemas.get(file) ?? {};
    return [
      `[${escapeText(schema.title ?? file)}](${page})`,
      `[${code(file)}](./${file})`,
      escapeText(firstSentence(schema.description)),
    ];
  };
  const overview: PageText = {
    path: 'schemas/index.md',
    title: 'JSON Schemas',
    group: 'schemas',
    description: 'JSON Schemas of all events and records, and the OpenAPI document.',
    body: paragraphs(
      'Each file is a JSON Schema (2020-12) that stands alone. They accept what later versions add: unknown fields, and values that are not in the list of an enumeration. The package `@tradepost/contract` has the same files in `schemas/`.',
      `The API itself is in [openapi.json](../openapi.json) (OpenAPI 3.1).`,
      '## Events',
      table(
        ['Event', 'File', 'What it is'],
        files
          .filter((file) => file.startsWith('events/'))
          .map((file) => row(file, `../${eventPath(file)}`)),
      ),
      '## Records',
      table(
        ['Record', 'File', 'What it is'],
        records.map((file) => row(file, `./${recordName(file)}.md`)),
      ),
    ),
  };
  return [overview, ...records.map((file) => recordPage(file, schemas.get(file) ?? {}))];
}
