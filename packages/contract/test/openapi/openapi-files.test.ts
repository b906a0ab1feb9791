import { readdirSync, readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, test } from 'vitest';
import { contract } from '../../src/contract';
import { openApiFiles } from '../../src/openapi/openapi-files';

const root = new URL('../../', import.meta.url);

describe.each(Object.entries(openApiFiles))('%s', (name, build) => {
  const text = readFileSync(new URL(name, root), 'utf8');

  it('equals what the contract generates', () => {
    expect(
      text === `${JSON.stringify(build(contract), null, 2)}\n`,
      `${name} is out of date: run \`pnpm --filter @tradepost/contract openapi\``,
    ).toBe(true);
  });

  it('is valid by the schema of its OpenAPI version', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });
});

test('every document is published, exported and linted', () => {
  const { files, exports, scripts } = JSON.parse(
    readFileSync(new URL('package.json', root), 'utf8'),
  );
  const documents = readdirSync(root).filter((name) => name.startsWith('openapi'));
  expect(documents.sort()).toEqual(Object.keys(openApiFiles).sort());
  for (const name of documents) {
    expect(files).toContain(name);
    expect(exports).toHaveProperty([`./${name}`], `./${name}`);
    expect(scripts['lint:openapi'].split(name)).toHaveLength(3);
  }
});
