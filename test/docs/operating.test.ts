import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeedResult } from '@tradepost/server';
import { generate } from 'selfsigned';
import { Agent, fetch as fetchTls } from 'undici';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { startPostgres } from '../../packages/server/test/helpers/postgres';
import { checkout, tradepostServerBin } from '../helpers/programs';
import { runServerCommand } from '../helpers/run-server-command';
import { startProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';
import { findMetrics } from './find-metrics';

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const guide = read('docs/operating.md');
const alertsFile = 'packages/server/deploy/alerts.yaml';

/** Returns a section of the guide. */
function readSection(heading: string): string {
  const [, section] = guide.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`docs/operating.md has no section "${heading}".`);
  return section.split('\n## ')[0] ?? '';
}

/** The labels of each metric, sorted; null if it has no sample that shows them. */
type Labels = Map<string, string[] | null>;

/** Reads the metrics that the guide lists. */
function readDocumented(): Labels {
  const rows = readSection('Metrics').matchAll(/^\| `(\w+)(?:\{([\w,]+)\})?` +\|/gm);
  return new Map([...rows].map(([, name = '', labels]) => [name, labels?.split(',').sort() ?? []]));
}

const withoutSuffix = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

/** Reads the metrics of a scrape. */
function readExported(text: string): Labels {
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  const exported: Labels = new Map(names.map((name) => [name, null]));
  for (const [, sample = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const name = exported.has(sample) ? sample : withoutSuffix(sample);
    const keys = [...labels.matchAll(/(\w+)="/g)].map(([, key = '']) => key);
    exported.set(name, keys.filter((key) => key !== 'le').sort());
  }
  return exported;
}

/** Starts a server with everything that has metrics, and uses it. Returns what it exports. */
async function scrapeUsedServer(): Promise<string> {
  const folder = await temporaryFolder();
  const cert = join(folder.path, 'cert.pem');
  const key = join(folder.path, 'key.pem');
  const postgres = await startPostgres();
  const { url: database } = await postgres.createDatabase();
  const { accounts } = await runServerCommand<SeedResult>(['seed'], database);
  const pems = await generate([{ name: 'commonName', value: 'localhost' }]);
  writeFileSync(cert, pems.cert);
  writeFileSync(key, pems.private);
  const server = startProcess(process.execPath, [
    ...[tradepostServerBin, 'start', '--database', database, '--allow-insecure-webhooks'],
    ...['--port', '0', '--metrics-port', '0', '--tls-cert', cert, '--tls-key', key],
  ]);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const [, url = ''] = await server.writes(/^listening on (https:\S+)$/m);
    const [, metricsUrl = ''] = await server.writes(/^metrics on (\S+)$/m);
    const post = async (path: string, body: object) => {
      const headers = {
        Authorization: `Bearer ${accounts[0]?.apiKey}`,
        'Content-Type': 'application/json',
      };
      const init = { method: 'POST', headers, body: JSON.stringify(body), dispatcher };
      const response = await fetchTls(url + path, init);
      expect(response.ok).toBe(true);
      return (await response.json()) as { data: { id: string } };
    };
    // Nothing listens there. A failed attempt has the same labels as any other.
    const webhook = { url: 'http://127.0.0.1:1/', events: ['order.created'] };
    const { data } = await post('/v1/webhooks', webhook);
    await post(`/v1/webhooks/${data.id}/test`, { event: 'order.created' });
    const scrape = async () => await (await fetch(metricsUrl)).text();
    const isCounted = async () => (await scrape()).includes('\ntradepost_delivery_attempts_total{');
    await vi.waitUntil(isCounted, { timeout: 20_000 });
    return await scrape();
  } finally {
    await dispatcher.destroy();
    await server.stop();
    await postgres.stop();
    await folder.remove();
  }
}

/** What Prometheus adds to each sample. */
const scrapeLabels = ['job', 'instance'];

/** Checks that the metrics of an expression exist, with the labels that it uses. */
function checkExpression(expression: string, documented: Labels): void {
  const { metrics, grouping } = findMetrics(expression);
  expect(metrics, expression).not.toEqual([]);
  const known = new Set(scrapeLabels);
  for (const { name, labels } of metrics) {
    if (name === 'up') continue;
    const isHistogram = !documented.has(name);
    const own = documented.get(isHistogram ? withoutSuffix(name) : name);
    expect(own, `${name} in ${expression}`).toBeDefined();
    const allowed = [...scrapeLabels, ...(own ?? []), ...(isHistogram ? ['le'] : [])];
    expect(allowed, expression).toEqual(expect.arrayContaining(labels));
    for (const label of allowed) known.add(label);
  }
  expect([...known], expression).toEqual(expect.arrayContaining(grouping));
}

const documented = readDocumented();

describe('the metrics of docs/operating.md', () => {
  let scraped: string;
  let exported: Labels;
  beforeAll(async () => {
    scraped = await scrapeUsedServer();
    exported = readExported(scraped);
  }, 60_000);

  // Each of the two threads has its own.
  test.each(['api', 'engine'])('have the database connections of the pool %s', (pool) => {
    expect(scraped).toMatch(
      new RegExp(`^tradepost_database_connections_max\\{pool="${pool}"\\} 10$`, 'm'),
    );
  });

  // Prometheus clients know the descriptors of a process on Linux only.
  test.runIf(process.platform === 'linux')('are those that a server exports', () => {
    expect([...documented.keys()].sort()).toEqual([...exported.keys()].sort());
  });

  test('have the labels of those that a server exports', () => {
    const shown = [...exported].filter(([, labels]) => labels !== null);
    expect(Object.fromEntries(documented)).toMatchObject(Object.fromEntries(shown));
    expect(shown.map(([name]) => name)).toContain('tradepost_delivery_attempts_total');
  });

  test('are in the README of the server, those of Node and its process as a group', () => {
    const readme = read('packages/server/README.md');
    for (const [name, labels] of documented) {
      if (!name.startsWith('tradepost_')) continue;
      const inReadme = new RegExp(`^\\| \`${name}(?:\\{([\\w,]+)\\})?\``, 'm').exec(readme);
      expect(inReadme, name).not.toBeNull();
      expect(inReadme?.[1]?.split(',').sort() ?? [], name).toEqual(labels);
    }
  });
});

describe('the alerting rules', () => {
  interface Rule {
    alert: string;
    expr: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
  }
  const { groups } = parse(read(alertsFile)) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  test.each(rules)('$alert uses metrics and labels that exist', ({ expr }) => {
    checkExpression(expr, documented);
  });

  test.each(rules)('$alert has a severity and a summary', ({ labels, annotations }) => {
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^\S.*\S$/);
  });

  test('are those that the guide explains, in the same order', () => {
    const rows = readSection('Alerts').matchAll(/^\| `(\w+)` +\|/gm);
    expect([...rows].map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
  });
});

describe('the dashboard', () => {
  interface Panel {
    id: number;
    type: string;
    title: string;
    description?: string;
    gridPos: { h: number; w: number; x: number; y: number };
    datasource?: { type: string; uid: string };
    targets?: { refId: string; expr: string; datasource: { uid: string } }[];
  }
  const dashboard = JSON.parse(read('packages/server/deploy/grafana-dashboard.json'));
  const panels = dashboard.panels as Panel[];
  const charts = panels.filter(({ type }) => type !== 'row');

  test('can be imported: it has no ID, a schema version, and selects its data source', () => {
    expect(dashboard).toMatchObject({ id: null, uid: 'tradepost', title: 'Tradepost' });
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    const variables = dashboard.templating.list as { name: string; type: string }[];
    expect(variables.map(({ name }) => name)).toEqual(['datasource', 'job', 'instance']);
    expect(variables[0]).toMatchObject({ type: 'datasource', query: 'prometheus' });
    const used = JSON.stringify(panels).matchAll(/\$\{?(\w+)/g);
    const known = [...variables.map(({ name }) => name), '__rate_interval'];
    expect(known).toEqual(expect.arrayContaining([...used].map(([, name]) => name)));
  });

  test('has panels with unique IDs that fit the grid and do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from(
        { length: h * w },
        (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`,
      );
    });
    expect(new Set(cells).size).toBe(cells.length);
  });

  test.each(charts)(
    '"$title" uses metrics and labels that exist',
    ({ targets = [], datasource }) => {
      expect(targets).not.toEqual([]);
      expect(datasource).toEqual({ type: 'prometheus', uid: `\${datasource}` });
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const { expr } of targets) checkExpression(expr, documented);
    },
  );

  test('has a panel for each metric of the service, apart from what others show', () => {
    const shown = JSON.stringify(charts);
    for (const name of documented.keys()) {
      if (name.startsWith('tradepost_')) expect(shown).toContain(name);
    }
  });
});

test('the log lines of docs/operating.md are those of the sources', () => {
  const source = join(checkout, 'packages/server/src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('api-docs'),
  );
  const logged = files.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    const calls = text.matchAll(
      /\blog(?:\.(?:info|warn|error|debug)|\[level\])\(\s*(?:[^;']*?,\s*)?'([^']+)',?\s*\)/g,
    );
    return [...calls].map(([, message = '']) => message);
  });
  expect(logged.length).toBeGreaterThan(30);
  const cells = [...readSection('Log lines').matchAll(/^\|([^|]+)\|/gm)].map(
    ([, cell = '']) => cell,
  );
  const listed = cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  // Those that end with an ellipsis are constants, or assembled.
  const whole = listed.filter((message) => message !== 'msg' && !message.endsWith('…'));
  expect(whole.sort()).toEqual([...new Set(logged)].sort());
});
