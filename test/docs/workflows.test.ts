import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkout } from '../helpers/programs';

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');

interface Job {
  needs?: string;
  strategy?: { matrix: { group: string[]; node: string[] } };
  steps: { uses?: string; with?: Record<string, string>; run?: string }[];
}

const { jobs } = parse(read('.github/workflows/ci.yml')) as { jobs: Record<string, Job> };
const { group = [], node = [] } = jobs.check?.strategy?.matrix ?? {};
const files = readdirSync(join(checkout, '.github'), { recursive: true, encoding: 'utf8' });

test('CI runs all groups of .ci/run, the fast one first', () => {
  const [, groups = ''] = /^all=\((.*)\)$/m.exec(read('.ci/run')) ?? [];
  expect(['fast', ...group].sort()).toEqual(groups.split(' ').sort());
  expect(jobs.check?.needs).toBe('fast');
  expect(jobs.fast?.steps.at(-1)?.run).toBe('bash .ci/run fast');
  expect(jobs.check?.steps.at(-1)?.run).toContain('bash .ci/run');
});

test('the fast checks and the dev container use the oldest Node that CI uses', () => {
  const [oldest] = node;
  const setup = jobs.fast?.steps.find(({ uses }) => uses?.startsWith('actions/setup-node'));
  expect(setup?.with?.['node-version']).toBe(oldest);
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${oldest}`);
  const container = JSON.parse(read('.devcontainer/devcontainer.json')) as { image: string };
  expect(container.image).toMatch(new RegExp(`^node:${oldest?.replace('.', '\\.')}-`));
});

test('the release workflow publishes the documentation site after a release, and only then', () => {
  const { jobs: released } = parse(read('.github/workflows/release.yml')) as {
    jobs: Record<string, Job & { if?: string; permissions?: Record<string, string> }>;
  };
  const { steps = [] } = released.site ?? {};
  const [build, upload, deploy] = steps.slice(-3);
  expect(build?.run).toContain('npm run site:build -- --base ');
  expect(upload).toMatchObject({
    uses: expect.stringMatching(/pages/),
    with: { path: 'site/dist' },
  });
  expect(deploy?.uses).toMatch(/deploy-pages/);
  // A failure of the site leaves the release as it is.
  expect(JSON.stringify(released.release)).not.toContain('site:build');
  expect(released.site).toMatchObject({
    needs: 'release',
    if: "needs.release.outputs.published == 'true'",
    permissions: { contents: 'read', pages: 'write', 'id-token': 'write' },
  });
});

test.each(files.filter((path) => path.endsWith('.yml')))('.github/%s is valid YAML', (path) => {
  expect(parse(read(join('.github', path)), { strict: true, uniqueKeys: true })).toBeTypeOf(
    'object',
  );
});

test.each(['bug', 'feature'])('the form for a %s has a label for each field', (name) => {
  const form = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as {
    body: { type: string; id?: string; attributes: { label?: string } }[];
  };
  const fields = form.body.filter(({ type }) => type !== 'markdown');
  expect(fields.length).toBeGreaterThan(0);
  for (const { id, attributes } of fields) expect(attributes.label, id).toMatch(/\w/);
  expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
});

test('dependency updates come weekly and in groups', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as {
    updates: { schedule: { interval: string }; groups: object }[];
  };
  expect(updates.length).toBeGreaterThan(0);
  for (const update of updates) {
    expect(update).toMatchObject({ schedule: { interval: 'weekly' }, groups: expect.anything() });
  }
});
