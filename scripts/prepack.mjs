/**
 * Prepares what is published of the package in the current folder: the files that its package.json lists, with absolute
 * links in the documents. They are written to `node_modules/.package`, which pnpm packs and publishes instead of the
 * folder itself (`publishConfig.directory`). Man pages (`directories.man`) are listed one by one, since npm installs no others.
 * Nothing in the checkout is changed.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeLinksAbsolute } from './absolute-links.mjs';

const target = resolve('node_modules/.package');
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { directories, publishConfig: publishing, ...fields } = manifest;
const { directory, linkDirectory, ...publishConfig } = publishing;
const man =
  directories?.man && readdirSync(directories.man).map((page) => `./${directories.man}/${page}`);

/** Where the website shows a file of this package, in the version that is packed: `changeset publish` creates the tag. */
function getAddress(file) {
  const website = manifest.repository.url.replace(/^git\+|\.git$/g, '');
  const tag = `${manifest.name}@${manifest.version}`;
  return `${website}/blob/${tag}/${manifest.repository.directory}/${file}`;
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

// Each file is moved to its place complete, and only what is stale is removed: another process may pack at the same time.
const staging = mkdtempSync(`${target}-`);
try {
  for (const file of manifest.files) {
    cpSync(file, join(staging, file), { recursive: true });
    if (!file.endsWith('.md')) continue;
    writeFileSync(
      join(staging, file),
      makeLinksAbsolute(readFileSync(file, 'utf8'), getAddress(file)),
    );
  }
  // The condition by which tests in this repository get the sources, which are not packed.
  const withoutSources = (name, value) => (name === 'tradepost:source' ? undefined : value);
  writeFileSync(
    join(staging, 'package.json'),
    JSON.stringify({ ...fields, man, publishConfig }, withoutSources),
  );
  const files = listFiles(staging);
  for (const file of files) {
    mkdirSync(join(target, dirname(file)), { recursive: true });
    renameSync(join(staging, file), join(target, file));
  }
  for (const file of listFiles(target)) if (!files.includes(file)) rmSync(join(target, file));
} finally {
  rmSync(staging, { recursive: true, force: true });
}
