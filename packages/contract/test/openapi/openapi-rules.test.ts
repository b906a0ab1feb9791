import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { oas31 } from 'zod-openapi';
import { listOperations, resolved } from '../helpers/openapi-reader';

/** Rules of OpenAPI 3.1 that its JSON schema cannot express, and rules that some tools need. */
const document: oas31.OpenAPIObject = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
);
const all = [...listOperations(document.paths), ...listOperations(document.webhooks)];

function visit(value: unknown, at: string, see: (node: object, at: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  see(value, at);
  for (const [key, child] of Object.entries(value)) visit(child, `${at}/${key}`, see);
}

test('the document has its OpenAPI version, title and server', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: expect.any(String), version: expect.any(String) },
    servers: [{ url: '{base_url}', variables: { base_url: { default: expect.any(String) } } }],
  });
});

test('every reference resolves', () => {
  const references: string[] = [];
  visit(document, '#', (node) => {
    if ('$ref' in node) references.push(String(node.$ref));
  });
  expect(references.length).toBeGreaterThan(100);
  for (const $ref of references) resolved(document, { $ref });
});

test('every component except WebhookEvent is referenced', () => {
  const text = JSON.stringify(document);
  const { schemas, responses, headers } = document.components ?? {};
  for (const [kind, components] of Object.entries({ schemas, responses, headers })) {
    for (const name of Object.keys(components ?? {})) {
      expect(name).toMatch(/^[\w.-]+$/);
      if (name === 'WebhookEvent') continue;
      expect(text, name).toContain(`"#/components/${kind}/${name}"`);
    }
  }
});

test('every path parameter of a template is declared as required, and no other is declared', () => {
  for (const { path, operation } of listOperations(document.paths)) {
    const templated = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = (operation.parameters ?? []).map((parameter) =>
      resolved<oas31.ParameterObject>(document, parameter),
    );
    const declared = parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(templated);
    for (const parameter of declared) expect(parameter.required).toBe(true);
  }
});

test('no operation declares a parameter twice, or one that OpenAPI defines elsewhere', () => {
  for (const { operation } of all) {
    const names = (operation.parameters ?? []).map((parameter) => {
      const { in: place, name } = resolved<oas31.ParameterObject>(document, parameter);
      return `${place} ${name.toLowerCase()}`;
    });
    expect(new Set(names).size).toBe(names.length);
    for (const name of ['accept', 'authorization', 'content-type']) {
      expect(names).not.toContain(`header ${name}`);
    }
  }
});

test('every parameter and header has a description and exactly one schema', () => {
  const parameters = all.flatMap(({ operation }) =>
    (operation.parameters ?? []).map((parameter) => resolved(document, parameter)),
  );
  for (const described of [...parameters, ...Object.values(document.components?.headers ?? {})]) {
    expect(described).toMatchObject({
      description: expect.stringMatching(/\.$/),
      schema: expect.any(Object),
    });
    expect(described).not.toHaveProperty('content');
  }
});

test('every response has a description and a valid status key', () => {
  for (const { operation } of all) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      expect(status).toMatch(/^([1-5]\d\d|[1-5]XX|default)$/);
      expect(resolved<oas31.ResponseObject>(document, response).description).toMatch(/\.$/);
    }
  }
});

test('every used tag and security scheme is declared', () => {
  const tags = document.tags?.map(({ name }) => name);
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  for (const { operation } of all) {
    for (const tag of operation.tags ?? []) expect(tags).toContain(tag);
    for (const requirement of operation.security ?? document.security ?? []) {
      for (const scheme of Object.keys(requirement)) expect(schemes).toContain(scheme);
    }
  }
});

test('every tag has a description', () => {
  for (const tag of document.tags ?? []) expect(tag.description, tag.name).toMatch(/\.$/);
});

test('the operations of a receiver have a tag of their own', () => {
  // Generators write one file per tag, so a shared tag would replace the client of `paths`.
  const used = (paths: oas31.PathsObject | undefined) =>
    new Set(listOperations(paths).flatMap(({ operation }) => operation.tags ?? []));
  expect([...used(document.webhooks)]).toEqual(['receivers']);
  expect([...used(document.paths)]).not.toContain('receivers');
});

test('every object of a response has a name, so that generated types have one', () => {
  visit(document.paths, '#/paths', (node, at) => {
    if (/\/(schema|items)$/.test(at)) expect(node, at).not.toHaveProperty('properties');
  });
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    visit((schema as oas31.SchemaObject).properties, name, (node, at) => {
      if (!at.includes('/properties/')) expect(node, at).not.toHaveProperty('properties');
    });
  }
});

test('no schema combines a union with other fields, and no constant is a boolean', () => {
  visit(document, '#', (node, at) => {
    expect(node, at).not.toHaveProperty('allOf');
    if ('const' in node) expect(typeof node.const, at).toBe('string');
  });
});

test('every list of values says that it may grow, except those that only requests have', () => {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const { enum: values, description } = schema as oas31.SchemaObject;
    if (values === undefined) continue;
    if (['AccountKind', 'WebhookStatus', 'StatusClass'].includes(name)) continue;
    expect(description, name).toContain('Later versions may add values.');
  }
});

test('every link leads to an operation and gives it its path parameters', () => {
  const links = listOperations(document.paths).flatMap(({ operation }) =>
    Object.values(operation.responses ?? {}).flatMap((response) =>
      Object.values(resolved<oas31.ResponseObject>(document, response).links ?? {}),
    ),
  );
  expect(links.length).toBeGreaterThan(15);
  for (const link of links as oas31.LinkObject[]) {
    const [target] = all.filter(({ operation }) => operation.operationId === link.operationId);
    expect(target, link.operationId).toBeDefined();
    expect(target?.path).toContain('{id}');
    expect(link.parameters).toEqual({ id: expect.stringMatching(/^\$response\.body#\/data\//) });
  }
});

test('no schema uses keywords that OpenAPI 3.1 removed', () => {
  visit(document.components?.schemas, '#/components/schemas', (node, at) => {
    for (const outdated of ['nullable', 'example', '$schema', 'definitions']) {
      expect(node, at).not.toHaveProperty(outdated);
    }
  });
});

test('no schema contains the metadata of its parameter', () => {
  visit(document, '#', (node, at) => expect(node, at).not.toHaveProperty('param'));
});

test('every regular expression of the document is valid', () => {
  visit(document, '#', (node) => {
    if ('pattern' in node && typeof node.pattern === 'string') new RegExp(node.pattern, 'u');
  });
});
