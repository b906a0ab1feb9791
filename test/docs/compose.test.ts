import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startPostgresServer } from '../../packages/server/test/helpers/embedded-postgres';
import { forTest } from '../helpers/for-test';
import { checkout } from '../helpers/programs';
import { runServerCommand } from '../helpers/run-server-command';
import { startApi } from '../helpers/start-postgres';
import { runProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';
import {
  type CommandHelp,
  deployFolder,
  findSecrets,
  isExactImage,
  readCommandHelp,
  readDeployFile,
  readDockerfile,
  readStopDeadline,
} from './deploy-files';
import { createComposeValidator } from './validate-schema';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  user?: string;
  restart: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  privileged?: boolean;
  security_opt?: string[];
  ports?: string[];
  networks: string[];
  volumes?: string[];
  secrets?: string[];
  configs?: { source: string; target: string }[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  stop_grace_period?: string;
  deploy?: { replicas?: number; resources?: { limits: { memory: string } } };
}

interface ComposeFile {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, object>;
  configs: Record<string, { file: string }>;
  secrets: Record<string, { file: string }>;
}

const text = readDeployFile('compose.yaml');
const parseCompose = (source: string) => parse(source, { merge: true }) as ComposeFile;
const compose = parseCompose(text);
const services = Object.entries(compose.services);
/** The services that run the server. */
const servers = services.filter(([, { build }]) => build !== undefined);
/** The services that keep running, and have a role. */
const processes = servers.filter(([, { command }]) => command?.[0] === 'start');
/** The settings of PostgreSQL, by name. */
const postgresSettings = Object.fromEntries(
  (compose.services.postgres?.command ?? [])
    .slice(1)
    .map((argument) => argument.replace(/^--/, '').split('=') as [string, string]),
);
const getRole = ({ command = [] }: Service) => command[command.indexOf('--role') + 1] ?? '';
const findService = (name: string) => {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`compose.yaml has no service "${name}".`);
  return service;
};

const { environment: imageEnvironment } = readDockerfile();
const apiPort = Number(imageEnvironment.PORT);
const metricsPort = Number(imageEnvironment.TRADEPOST_METRICS_PORT);

/** Reads a duration of the Compose Specification in seconds. */
function parseSeconds(duration: string): number {
  const [, minutes = '0', seconds = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? [];
  return 60 * Number(minutes) + Number(seconds);
}

let help: Record<string, CommandHelp>;
beforeAll(async () => {
  const [start, migrate] = await Promise.all([
    readCommandHelp('start'),
    readCommandHelp('migrate'),
  ]);
  help = { start, migrate };
});

describe('the schema of the Compose Specification', () => {
  const validate = createComposeValidator();

  test('accepts compose.yaml', () => {
    expect(validate(compose)).toEqual([]);
  });

  test.each([
    ['an unknown field of a service', 'restart: unless-stopped', 'restarts: unless-stopped'],
    ['an unknown field of the file', '\nvolumes:', '\nvolume:'],
    ['a value of another type', 'read_only: true', 'read_only: [true]'],
    ['an unknown condition', 'service_completed_successfully', 'service_completed'],
    ['an unknown field of a health check', 'retries: 5', 'attempts: 5'],
  ])('rejects %s', (_, from, to) => {
    const broken = text.replace(from, to);
    expect(broken).not.toBe(text);
    expect(validate(parseCompose(broken))).not.toEqual([]);
  });
});

describe('compose.yaml', () => {
  test('refers only to what it defines, and to files that exist', () => {
    for (const [, service] of services) {
      expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining(service.networks));
      expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(service.secrets ?? []));
      const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[0]);
      expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(volumes));
      const configs = (service.configs ?? []).map(({ source }) => source);
      expect(Object.keys(compose.configs)).toEqual(expect.arrayContaining(configs));
      const dependencies = Object.keys(service.depends_on ?? {});
      expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(dependencies));
      if (service.build === undefined) continue;
      expect(join(deployFolder, service.build.context, '/')).toBe(checkout);
      expect(join(checkout, service.build.dockerfile)).toBe(join(deployFolder, 'Dockerfile'));
    }
    for (const { file } of Object.values(compose.configs)) {
      expect(existsSync(join(deployFolder, file)), file).toBe(true);
    }
  });

  test('runs exact versions: of the server, the one that the operator names', () => {
    for (const [name, { image, build }] of services) {
      if (build) expect(image).toMatch(/^tradepost-server:\$\{TRADEPOST_VERSION:\?[^}]+\}$/);
      else expect(isExactImage(image), name).toBe(true);
    }
    const digest = `@sha256:${'0'.repeat(64)}`;
    for (const name of ['postgres', 'postgres:18', 'haproxy:3.4', 'host.test/haproxy:3.4.6']) {
      expect(isExactImage(`${name}${digest}`), name).toBe(false);
    }
    for (const image of ['postgres:18.6', 'haproxy:3.4.6-alpine', `postgres${digest}`]) {
      expect(isExactImage(image), image).toBe(false);
    }
  });

  test('has no secrets, and reads them from files that neither Git nor the image gets', () => {
    expect(findSecrets(text)).toEqual([]);
    expect(findSecrets('POSTGRES_PASSWORD: example')).toHaveLength(1);
    expect(findSecrets('DATABASE: postgres://tradepost:example@postgres/tradepost')).toHaveLength(
      1,
    );
    for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^secrets\//);
    const folder = 'packages/server/deploy';
    const gitIgnored = readFileSync(join(checkout, '.gitignore'), 'utf8').split('\n');
    expect(gitIgnored).toEqual(expect.arrayContaining([`${folder}/.env`, `${folder}/secrets/`]));
    const imageIgnored = readDeployFile('Dockerfile.dockerignore').split('\n');
    expect(imageIgnored).toEqual(expect.arrayContaining(['**/.env*', `${folder}/secrets`]));
  });

  test('runs at least two processes of each role, after the migration', () => {
    expect(processes.map(([, service]) => getRole(service)).sort()).toEqual(['api', 'worker']);
    for (const [, { deploy, depends_on }] of processes) {
      expect(deploy?.replicas).toBeGreaterThanOrEqual(2);
      expect(depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
    }
    const { command, restart, depends_on } = findService('migrate');
    expect([command, restart]).toEqual([['migrate'], 'no']);
    expect(depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  });

  test('passes only commands, options and variables that the server has', () => {
    expect(servers).toHaveLength(3);
    for (const [name, service] of servers) {
      const { command: [command = '', ...args] = [], environment = {} } = service;
      const known = help[command];
      if (known === undefined) throw new Error(`${name} runs an unknown command, ${command}.`);
      const options = args.filter((argument) => argument.startsWith('--'));
      expect(known.options).toEqual(expect.arrayContaining(options));
      expect(known.variables).toEqual(expect.arrayContaining(Object.keys(environment)));
      // Without a URL, each process would use a SQLite file of its own. Only the migration is run by the owner of the schema.
      const [, variable] = /^\$\{(\w+):\?[^}]+\}$/.exec(environment.TRADEPOST_DATABASE ?? '') ?? [];
      expect(variable).toBe(
        name === 'migrate' ? 'TRADEPOST_POSTGRES_OWNER_URL' : 'TRADEPOST_POSTGRES_URL',
      );
    }
    for (const [, service] of processes) expect(help.start?.roles).toContain(getRole(service));
  });

  test('gives each process more time to stop than it takes', () => {
    for (const [name, { stop_grace_period = '10s' }] of services) {
      expect(parseSeconds(stop_grace_period), name).toBeGreaterThan(readStopDeadline());
    }
    const [, hardStop = ''] = /hard-stop-after (\w+)/.exec(readDeployFile('haproxy.cfg')) ?? [];
    const { stop_grace_period = '' } = findService('proxy');
    expect(parseSeconds(hardStop)).toBeGreaterThan(0);
    expect(parseSeconds(stop_grace_period)).toBeGreaterThan(parseSeconds(hardStop));
  });

  test('lets no container write to its root, get privileges or have capabilities', () => {
    for (const [name, service] of services) {
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
      expect([service.cap_add, service.privileged], name).toEqual([undefined, undefined]);
    }
  });

  test('restarts and checks everything that keeps running', () => {
    for (const [name, { restart, healthcheck }] of services) {
      if (name === 'migrate') continue;
      expect(restart, name).toBe('unless-stopped');
      expect(healthcheck?.disable, name).toBeUndefined();
      expect(healthcheck?.test?.[0], name).toBe('CMD');
    }
  });

  test('waits until a process is ready: with a program that follows /readyz', async () => {
    for (const [name, { healthcheck }] of processes) {
      const [, command, ...args] = healthcheck?.test ?? [];
      expect(command).toBe('node');
      const statuses = [200, 503];
      const paths: (string | undefined)[] = [];
      const server = createServer(({ url }, response) => {
        paths.push(url);
        response.writeHead(statuses.shift() ?? 500).end('{}');
      });
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const run = async () => {
        const local = args.map((text) => text.replace(`:${metricsPort}/`, `:${port}/`));
        return (await runProcess(process.execPath, local)).code;
      };
      expect([await run(), await run()], name).toEqual([0, 1]);
      expect(paths).toEqual(['/readyz', '/readyz']);
      server.close();
      expect(await run()).toBe(1);
    }
  });

  test('allows enough connections to PostgreSQL, also while all processes are replaced', () => {
    const replicas = processes.map(([, { deploy }]) => deploy?.replicas ?? 1);
    const count = replicas.reduce((sum, value) => sum + value, 0);
    expect(Number(postgresSettings.max_connections)).toBeGreaterThanOrEqual(2 * count * 10 + 10);
  });

  test('publishes ports on this machine alone, and PostgreSQL not at all', () => {
    const published = services.filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).toEqual(['proxy', 'prometheus']);
    for (const [name, { ports = [] }] of published) {
      for (const port of ports) expect(port, name).toMatch(/^(?:\$\{\w+:-)?127\.0\.0\.1:/);
    }
    const [network = ''] = findService('postgres').networks;
    expect(findService('postgres').networks).toHaveLength(1);
    expect(compose.networks[network]).toEqual({ internal: true });
  });
});

describe('PostgreSQL, as compose.yaml starts it', () => {
  const guide = readFileSync(join(checkout, 'docs/postgresql.md'), 'utf8');
  const [, section = ''] = guide.split('\n### Settings\n');
  const rows = [...(section.split('\n#')[0] ?? '').matchAll(/^\| (`[^|]+`) +\| ([^|]+?) +\|/gm)];
  const recommended = rows.flatMap(([, names = '', value = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ name, value })),
  );

  /** Returns what a file of SQL does: without psql, which reads the secrets. */
  function readSql(file: string): string {
    const { secrets = [] } = findService('postgres');
    let sql = readDeployFile(file);
    for (const [line, name, secret = ''] of sql.matchAll(
      /^\\set (\w+) `cat \/run\/secrets\/([\w-]+)`$/gm,
    )) {
      expect(secrets).toContain(secret);
      sql = sql.replace(line, '').replaceAll(`:'${name}'`, `'${secret}'`);
    }
    return sql;
  }

  test('has all settings of the guide, those that are no defaults', () => {
    expect(recommended.length).toBeGreaterThan(10);
    const names = recommended.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['shared_buffers', 'log_lock_waits']));
    for (const { name, value } of recommended) {
      const setting = postgresSettings[name];
      if (/^(`on`|0)/.test(value) && setting === undefined) continue;
      // Some depend on the machine.
      if (/^(a |more )/.test(value)) expect(setting, name).toMatch(/^\d+[MG]B$/);
      else expect(value, name).toContain(setting ?? name);
    }
  });

  test('starts with them, and creates roles for the migration and for the processes', async () => {
    const folder = await forTest(temporaryFolder());
    const settings = Object.entries(postgresSettings)
      // The programs of the tests are built without LZ4.
      .map(([name, value]) => `${name}=${value.replace('lz4', 'on')}`);
    const postgres = await startPostgresServer({ folder: folder.path, isDurable: true, settings });
    onTestFinished(() => postgres.stop());
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    for (const { name, value } of recommended) {
      const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
      if (postgresSettings[name] === undefined) expect(value).toContain(rows[0]?.[name]);
    }
    // In the order of their names.
    const { configs = [] } = findService('postgres');
    const scripts = configs.toSorted((a, b) => a.target.localeCompare(b.target));
    for (const { source, target } of scripts) {
      expect(target).toMatch(/^\/docker-entrypoint-initdb\.d\/.*\.sql$/);
      await client.query(readSql(compose.configs[source]?.file ?? ''));
    }
    await client.end();
    const withRole = (role: 'owner' | 'server') => {
      const url = new URL(postgres.url);
      [url.username, url.password] = [`tradepost_${role}`, `${role}-password`];
      return url.href;
    };
    expect(await runServerCommand(['migrate'], withRole('owner'))).toMatchObject({ from: 0 });
    const api = await startApi(withRole('server'));
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  });
});

describe('haproxy.cfg', () => {
  const config = readDeployFile('haproxy.cfg');
  const [, server = ''] = /^ {4}server-template (.*)$/m.exec(config) ?? [];

  test('sends requests to all api processes, and checks their readiness', () => {
    expect(server).toMatch(new RegExp(`^api- \\d+ api:${apiPort} check port ${metricsPort} `));
    const api = findService('api');
    expect(getRole(api)).toBe('api');
    const [, path = ''] = /http-check send meth GET uri (\S+)/.exec(config) ?? [];
    expect(path).toBe('/readyz');
    expect(help.start?.metricsPaths).toContain(path);
    const [network = ''] = findService('proxy').networks;
    expect(api.networks).toContain(network);
  });

  test('listens on the port that compose.yaml publishes, and where its health is checked', () => {
    const { ports: [published = ''] = [], healthcheck, configs } = findService('proxy');
    const bound = [...config.matchAll(/^ {4}bind (\S*):(\d+)$/gm)].map(([, host, port]) => [
      host,
      port,
    ]);
    expect(bound).toEqual([
      ['', published.split(':').at(-1)],
      ['127.0.0.1', '8404'],
    ]);
    expect(healthcheck?.test?.at(-1)).toBe('http://127.0.0.1:8404/healthz');
    expect(config).toContain('monitor-uri /healthz');
    expect(configs).toEqual([{ source: 'haproxy', target: '/usr/local/etc/haproxy/haproxy.cfg' }]);
  });

  test('waits for long polls, and repeats only what is safe to repeat', () => {
    for (const name of ['client', 'server']) {
      const [, timeout = ''] = new RegExp(`timeout ${name} (\\w+)`).exec(config) ?? [];
      expect(parseSeconds(timeout)).toBeGreaterThanOrEqual(60);
    }
    expect(config).toContain('retry-on conn-failure empty-response\n');
    expect(config).toContain(
      'http-request disable-l7-retry unless METH_GET || { req.hdr(Idempotency-Key) -m found }',
    );
    expect(config).toContain('option forwardfor\n');
  });
});

describe('prometheus.yaml', () => {
  interface Prometheus {
    rule_files: string[];
    scrape_configs: {
      job_name: string;
      metrics_path?: string;
      dns_sd_configs: { names: string[]; type: string; port: number }[];
    }[];
  }
  const config = parse(readDeployFile('prometheus.yaml')) as Prometheus;

  test('scrapes the metrics of all processes', () => {
    const [scrape, ...others] = config.scrape_configs;
    expect(others).toEqual([]);
    const [target] = scrape?.dns_sd_configs ?? [];
    expect(target?.names.toSorted()).toEqual(processes.map(([name]) => name).sort());
    expect(target).toMatchObject({ type: 'A', port: metricsPort });
    expect(scrape?.metrics_path ?? '/metrics').toBe('/metrics');
    expect(help.start?.metricsPaths).toContain('/metrics');
    const [network = ''] = findService('prometheus').networks;
    for (const [, { networks }] of processes) expect(networks).toContain(network);
  });

  test('names its jobs as the alerts do', () => {
    const filtered = readDeployFile('alerts.yaml').matchAll(/\bjob="([^"]*)"/g);
    const jobs = new Set([...filtered].map(([, job]) => job));
    expect(new Set(config.scrape_configs.map(({ job_name }) => job_name))).toEqual(jobs);
    // The dashboard offers the jobs that exist.
    expect(readDeployFile('grafana-dashboard.json')).not.toMatch(/job=~?\\"(?!\$job)/);
  });

  test('loads the alerts from where compose.yaml puts them', () => {
    const { configs = [] } = findService('prometheus');
    const targets = Object.fromEntries(configs.map(({ source, target }) => [source, target]));
    expect(targets.prometheus).toBe('/etc/prometheus/prometheus.yml');
    expect(config.rule_files.map((file) => `/etc/prometheus/${file}`)).toEqual([targets.alerts]);
  });
});
