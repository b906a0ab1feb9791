/**
 * Prints the JSON schemas of some kinds of Kubernetes and of all types that they refer to, without descriptions:
 *
 *     node extract-kubernetes-schema.mjs v1.37.0-local-strict/_definitions.json > kubernetes-1.37.json
 */
import { readFileSync } from 'node:fs';

const kinds = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
];

const [file] = process.argv.slice(2);
const { $defs: definitions } = JSON.parse(readFileSync(file, 'utf8'));
const needed = new Map();

/** Adds a type and what it refers to. */
function add(name) {
  if (needed.has(name)) return;
  needed.set(name, definitions[name]);
  const references = JSON.stringify(definitions[name]).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g);
  for (const [, reference] of references) add(reference);
}

/** Serialises a schema without descriptions. A property may have that name, but its value is not a text. */
const serialize = (schema) =>
  JSON.stringify(schema, (key, value) =>
    (key === 'description' && typeof value === 'string') || key.startsWith('x-kubernetes-')
      ? undefined
      : value,
  );

for (const kind of kinds) add(kind);
const lines = [...needed.keys()]
  .sort()
  .map((name) => `${JSON.stringify(name)}: ${serialize(needed.get(name))}`);
process.stdout.write(`{ "$defs": {\n${lines.join(',\n')}\n} }\n`);
