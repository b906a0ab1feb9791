import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';

const require = createRequire(import.meta.url);

const readSchema = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as object;

/** Formats such as `int32` have no effect. The Compose Specification's schema has a dialect of its own. */
const createAjv = () => new Ajv({ allErrors: true, strict: false, validateFormats: false });

/** Returns what is wrong with a document, by the schema: a path and a reason each. */
function listViolations(validate: ValidateFunction, document: unknown): string[] {
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const property = params.additionalProperty ? ` (${params.additionalProperty})` : '';
    return `${instancePath} ${message}${property}`;
  });
}

/** Creates a validator of the Compose Specification, with the copy of its schema that dclint has. */
export function createComposeValidator(): (document: unknown) => string[] {
  const dclint = dirname(require.resolve('dclint/package.json'));
  // Ajv does not know the dialect by this URL. It is draft 7.
  const { $schema: _, ...schema } = readSchema(
    join(dclint, 'schemas/compose.schema.json'),
  ) as Record<string, unknown>;
  const validate = createAjv().compile(schema);
  return (document) => listViolations(validate, document);
}

/** The schemas of the API groups whose kinds the deployment uses, by `apiVersion`. */
const apiGroups: Record<string, string> = {
  v1: 'io.k8s.api.core.v1',
  'apps/v1': 'io.k8s.api.apps.v1',
  'autoscaling/v2': 'io.k8s.api.autoscaling.v2',
  'batch/v1': 'io.k8s.api.batch.v1',
  'networking.k8s.io/v1': 'io.k8s.api.networking.v1',
  'policy/v1': 'io.k8s.api.policy.v1',
};

/** Creates a validator of Kubernetes objects that allows no unknown fields. `schemas/README.md` has the source of its schemas. */
export function createKubernetesValidator(): (document: unknown) => string[] {
  const path = fileURLToPath(new URL('schemas/kubernetes-1.37.json', import.meta.url));
  const ajv = createAjv().addSchema(readSchema(path), 'kubernetes');
  return (document) => {
    const { apiVersion = '', kind = '' } = document as { apiVersion?: string; kind?: string };
    const validate = ajv.getSchema(`kubernetes#/$defs/${apiGroups[apiVersion]}.${kind}`);
    if (!validate) return [`there is no schema of ${apiVersion} ${kind}`];
    return listViolations(validate, document);
  };
}
