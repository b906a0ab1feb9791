import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import readChangesets from '@changesets/read';
import { expect, it } from 'vitest';
import { readPublishedNames } from '../docs/manifests';
import { checkout } from '../helpers/programs';

it('every changeset names published packages and has a summary', async () => {
  const files = await readdir(join(checkout, '.changeset'));
  const changes = await readChangesets(checkout);
  const ids = files.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3));
  expect(changes.map(({ id }) => id).sort()).toEqual(ids.sort());
  const packages = await readPublishedNames();
  for (const { id, releases, summary } of changes) {
    expect(releases.length, id).toBeGreaterThan(0);
    for (const { name } of releases) expect(packages, id).toContain(name);
    expect(summary, id).toMatch(/\w/);
  }
});
