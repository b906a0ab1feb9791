/**
 * Fails if the workflow that runs it belongs to another repository than package.json names. npm accepts the
 * provenance of a package only from that repository, and the links of a published README lead there.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';

const { repository } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const named = repository.url.replace(/^git\+https:\/\/github\.com\/|\.git$/g, '');
const actual = process.env.GITHUB_REPOSITORY;

if (actual !== named) {
  console.error(
    !actual
      ? 'GITHUB_REPOSITORY is not set: run this script in a workflow of GitHub Actions.'
      : `This workflow runs in ${actual}, but package.json names ${named}. Correct repository, homepage and bugs in all package.json files, or publish from ${named}.`,
  );
  process.exitCode = 1;
}
