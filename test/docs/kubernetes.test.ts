import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  type CommandHelp,
  deployFolder,
  findSecrets,
  readCommandHelp,
  readDeployFile,
  readDockerfile,
  readStopDeadline,
} from './deploy-files';
import { createKubernetesValidator } from './validate-schema';

type Labels = Record<string, string>;

interface Probe {
  httpGet: { port: string; path: string };
  periodSeconds: number;
  failureThreshold: number;
}

interface Container {
  name: string;
  image: string;
  command?: string[];
  args: string[];
  env: {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef: { name: string; key: string } };
  }[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  resources: { requests: Labels; limits: Labels };
  volumeMounts?: { name: string; mountPath: string }[];
}

interface PodSpec {
  containers: Container[];
  terminationGracePeriodSeconds?: number;
  volumes?: { name: string; secret?: { secretName: string; defaultMode: number } }[];
  topologySpreadConstraints?: { topologyKey: string; labelSelector: { matchLabels: Labels } }[];
}

/** The fields of all kinds that the tests read. */
interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Labels };
  spec: {
    replicas?: number;
    selector?: Labels & { matchLabels?: Labels };
    podSelector?: { matchLabels: Labels };
    strategy?: { rollingUpdate: { maxSurge: number; maxUnavailable: number } };
    template?: { metadata: { labels: Labels }; spec: PodSpec };
    ports?: { targetPort: string }[];
    ingress?: { ports: { port: string }[] }[];
    egress?: { to?: { ipBlock?: { except: string[] } }[]; ports: { port: number }[] }[];
    scaleTargetRef?: { kind: string; name: string };
    minReplicas?: number;
    maxReplicas?: number;
    maxUnavailable?: number;
  };
}

const files = readdirSync(join(deployFolder, 'kubernetes')).sort();
const text = files.map((file) => readDeployFile(`kubernetes/${file}`)).join('\n---\n');
/** Kubernetes' strict validators know no merge keys: what they would merge is a field of its own, which no schema has. */
const parseObjects = (source: string) =>
  parseAllDocuments(source, { strict: true, uniqueKeys: true, merge: false }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    return document.toJS() as KubernetesObject;
  });
const objects = parseObjects(text);
const named = objects.map((object) => ({
  title: `the ${object.kind} ${object.metadata.name}`,
  object,
}));

/** The objects of a kind, by name. */
const findKind = (kind: string) =>
  new Map(
    objects
      .filter((object) => object.kind === kind)
      .map((object) => [object.metadata.name, object]),
  );
const deployments = findKind('Deployment');

/** An object with pods, and their only container. */
interface Workload {
  title: string;
  object: KubernetesObject;
  labels: Labels;
  pod: PodSpec;
  container: Container;
}

const workloads: Workload[] = named.flatMap(({ title, object }) => {
  const { template } = object.spec;
  if (template === undefined) return [];
  const [container, ...others] = template.spec.containers;
  if (container === undefined || others.length > 0) throw new Error(`${title} has several.`);
  return [{ title, object, labels: template.metadata.labels, pod: template.spec, container }];
});
const processes = workloads.filter(({ object }) => object.kind === 'Deployment');
const getRole = ({ args }: Container) => args[args.indexOf('--role') + 1] ?? '';

/** Returns the workloads that a selector selects. */
const select = (selector: Labels | undefined) =>
  workloads.filter(({ labels }) =>
    Object.entries(selector ?? { none: 'none' }).every(([name, value]) => labels[name] === value),
  );

const { environment: imageEnvironment, find: findInstructions } = readDockerfile();

let help: Record<string, CommandHelp>;
beforeAll(async () => {
  const [start, migrate] = await Promise.all([
    readCommandHelp('start'),
    readCommandHelp('migrate'),
  ]);
  help = { start, migrate };
});

describe('the schema of Kubernetes', () => {
  const validate = createKubernetesValidator();

  test.each(named)('accepts $title', ({ object }) => {
    expect(validate(object)).toEqual([]);
  });

  test.each([
    ['an unknown field of a container', 'volumeMounts:', 'mounts:'],
    ['an unknown field of a pod', 'terminationGracePeriodSeconds: 35', 'gracePeriod: 35'],
    ['a field of another level', 'maxSurge: 1', 'minReadySeconds: 5, maxSurge: 1'],
    ['a number for a text', 'value: uniquelocal', 'value: 1'],
    ['a text for a number', 'containerPort: 9464', 'containerPort: "9464"'],
    ['a missing field', 'scaleTargetRef: {', 'behavior: {}\n  #'],
    ['a merge key', 'resources:', 'resources:\n            <<: {}'],
    ['an unknown kind', 'kind: Deployment', 'kind: Deploy'],
    ['another version of the API', 'autoscaling/v2', 'autoscaling/v2beta2'],
  ])('rejects %s', (_, from, to) => {
    const broken = text.replace(from, to);
    expect(broken).not.toBe(text);
    expect(parseObjects(broken).flatMap((object) => validate(object))).not.toEqual([]);
  });

  test('rejects a field that is there twice', () => {
    expect(() => parseObjects('kind: Deployment\nkind: Job')).toThrow('Map keys must be unique');
  });
});

describe('the Kubernetes objects', () => {
  test('are a migration, processes of both roles, and what belongs to them', () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.sort()).toEqual([
      'Deployment tradepost-api',
      'Deployment tradepost-worker',
      'HorizontalPodAutoscaler tradepost-api',
      'Job tradepost-migrate',
      'NetworkPolicy tradepost',
      'NetworkPolicy tradepost-api',
      'NetworkPolicy tradepost-worker',
      'PodDisruptionBudget tradepost-api',
      'PodDisruptionBudget tradepost-worker',
      'Service tradepost',
    ]);
    expect(processes.map(({ container }) => getRole(container))).toEqual(['api', 'worker']);
    expect(workloads.map(({ container }) => container.args[0])).toEqual([
      'start',
      'migrate',
      'start',
    ]);
  });

  test('run one exact version', () => {
    const images = new Set(workloads.map(({ container }) => container.image));
    expect(images.size).toBe(1);
    // The operator's own registry has it.
    for (const image of images) expect(image).toMatch(/^tradepost-server:\d+\.\d+\.\d+$/);
  });

  test('have no secrets, only their names', () => {
    expect(findSecrets(text)).toEqual([]);
    expect(findSecrets('- { name: DATABASE_PASSWORD, value: example }')).toHaveLength(1);
    for (const { container, pod, object } of workloads) {
      const database = container.env.find(({ name }) => name === 'TRADEPOST_DATABASE');
      expect(database?.valueFrom?.secretKeyRef).toEqual({
        // Only the migration is run by the owner of the schema.
        name: object.kind === 'Job' ? 'tradepost-database-owner' : 'tradepost-database',
        key: 'TRADEPOST_DATABASE',
      });
      const [keys] = (pod.volumes ?? []).filter(({ secret }) => secret !== undefined);
      if (keys !== undefined) {
        expect(keys.secret).toEqual({ secretName: 'tradepost-secret-keys', defaultMode: 0o400 });
      }
      const file = container.env.find(({ name }) => name === 'TRADEPOST_SECRET_KEY_FILE')?.value;
      const mounted = container.volumeMounts?.find(({ name }) => name === keys?.name);
      expect(file).toBe(mounted && `${mounted.mountPath}/secret-keys`);
    }
  });

  test.each(workloads)(
    '$title has only commands, options and variables that the server has',
    ({ container }) => {
      const { command, env, args } = container;
      // The entry point of the image is the program.
      expect(command).toBeUndefined();
      const known = help[args[0] ?? ''];
      expect(known).toBeDefined();
      const options = args.filter((argument) => argument.startsWith('--'));
      expect(known?.options).toEqual(expect.arrayContaining(options));
      expect(known?.variables).toEqual(expect.arrayContaining(env.map(({ name }) => name)));
      if (options.includes('--role')) expect(known?.roles).toContain(getRole(container));
    },
  );

  test.each(workloads)('$title has neither root nor capabilities', ({ pod, container }) => {
    const [uid, gid] = (findInstructions('USER').at(-1) ?? '').split(':').map(Number);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: gid,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(container).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
    const { requests, limits } = container.resources;
    expect(Object.keys(requests)).toEqual(['cpu', 'memory', 'ephemeral-storage']);
    expect(Object.keys(limits)).toEqual(['memory', 'ephemeral-storage']);
  });

  test.each(processes)('$title is probed where its metrics are', ({ container }) => {
    const ports = Object.fromEntries(
      (container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]),
    );
    const isApi = getRole(container) === 'api';
    expect(ports).toEqual({
      metrics: Number(imageEnvironment.TRADEPOST_METRICS_PORT),
      ...(isApi && { http: Number(imageEnvironment.PORT) }),
    });
    const { startupProbe, livenessProbe, readinessProbe } = container;
    expect(startupProbe?.httpGet).toEqual({ port: 'metrics', path: '/livez' });
    expect(livenessProbe?.httpGet).toEqual({ port: 'metrics', path: '/livez' });
    expect(readinessProbe?.httpGet).toEqual({ port: 'metrics', path: '/readyz' });
    expect(help.start?.metricsPaths).toEqual(expect.arrayContaining(['/livez', '/readyz']));
  });

  test.each(processes)(
    '$title stops within its time, and is replaced before it stops',
    ({ object, pod, container }) => {
      const pause = container.lifecycle?.preStop.sleep.seconds ?? 0;
      expect(pause).toBe(getRole(container) === 'api' ? 5 : 0);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + readStopDeadline());
      expect(object.spec.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    },
  );

  test.each(processes)(
    '$title has a budget, policies and spread pods',
    ({ object, labels, pod }) => {
      expect(object.spec.selector?.matchLabels).toEqual(labels);
      const budget = findKind('PodDisruptionBudget').get(object.metadata.name);
      expect(budget?.spec.selector?.matchLabels).toEqual(labels);
      expect(budget?.spec.maxUnavailable).toBe(1);
      const spread = pod.topologySpreadConstraints ?? [];
      expect(spread.map(({ topologyKey }) => topologyKey)).toEqual([
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
      ]);
      for (const { labelSelector } of spread) expect(labelSelector.matchLabels).toEqual(labels);
    },
  );

  test('select only pods that exist, of the right role', () => {
    const policies = findKind('NetworkPolicy');
    const getTitles = (selector: Labels | undefined) => select(selector).map(({ title }) => title);
    const api = 'the Deployment tradepost-api';
    const worker = 'the Deployment tradepost-worker';
    const selectors = Object.fromEntries(
      [...policies].map(([name, { spec }]) => [name, getTitles(spec.podSelector?.matchLabels)]),
    );
    expect(selectors).toEqual({
      tradepost: [api, 'the Job tradepost-migrate', worker],
      'tradepost-api': [api],
      'tradepost-worker': [worker],
    });
    const service = findKind('Service').get('tradepost');
    expect(getTitles(service?.spec.selector)).toEqual([api]);
    const names = processes.flatMap(({ container }) => container.ports?.map(({ name }) => name));
    for (const { targetPort } of service?.spec.ports ?? []) expect(names).toContain(targetPort);
    const allowed = [...policies.values()].flatMap(({ spec }) => spec.ingress ?? []);
    const ports = allowed.flatMap((rule) => rule.ports.map(({ port }) => port));
    expect(ports.sort()).toEqual(['http', 'metrics']);
  });

  test('connect to named peers alone: DNS, PostgreSQL, and workers to public addresses', () => {
    const rules = [...findKind('NetworkPolicy').values()].flatMap(({ spec }) => spec.egress ?? []);
    expect(rules.map(({ ports }) => ports.map(({ port }) => port))).toEqual([
      [53, 53],
      [5432],
      [443, 1024],
    ]);
    const [dns, postgres, receivers] = rules.map(({ to }) => to);
    expect(dns).toEqual([
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
        podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
      },
    ]);
    expect(postgres).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'database' } } },
    ]);
    for (const { ipBlock } of receivers ?? []) expect(ipBlock?.except.length).toBeGreaterThan(2);
  });

  test('scale the API alone, which has no fixed number of replicas', () => {
    const [scaler, ...others] = findKind('HorizontalPodAutoscaler').values();
    expect(others).toEqual([]);
    expect(scaler?.spec.scaleTargetRef).toMatchObject({
      kind: 'Deployment',
      name: 'tradepost-api',
    });
    expect(scaler?.spec.minReplicas).toBeGreaterThanOrEqual(2);
    expect(deployments.get('tradepost-api')?.spec.replicas).toBeUndefined();
    expect(deployments.get('tradepost-worker')?.spec.replicas).toBeGreaterThanOrEqual(2);
  });
});
