/** An esbuild plugin that writes the licenses of all packages whose code is in the build. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const inPackage = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The text of a license that a package may name without including it. */
const mitLicense = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** What packages include of others in compiled form, with its notice. */
const components: Record<string, string> = {
  undici: `It includes llhttp, compiled to WebAssembly. Copyright Fedor Indutny, 2018. MIT License:\n\n${mitLicense}`,
};

/** Returns the notice of the package in a folder: its name, version and license. Throws if it has none. */
export function readNotice(name: string, folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) =>
    /^(licen[cs]e|copying|notice|third[-_]?party)/i.test(file),
  );
  const parts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (parts.length === 0) {
    if (manifest.license !== 'MIT') {
      throw new Error(`${name} has no license file, and its license is ${manifest.license}.`);
    }
    const author = manifest.author?.name ?? manifest.author ?? 'its authors';
    parts.push(`MIT License. Copyright ${author}. The package does not include the text:`);
    parts.push(mitLicense);
  }
  const included = components[name];
  if (included !== undefined) parts.push(included);
  return [`${name} ${manifest.version}`, ...parts].join('\n\n');
}

/** Joins the notices of packages whose code is in a folder. */
export function formatNotices(notices: readonly string[]): string {
  const intro = 'The files in this folder include code of these packages.';
  return `${[intro, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Creates the plugin. Needs the option `metafile`. */
export function writeNotices(file: string): Plugin {
  return {
    name: 'write-notices',
    setup(build) {
      build.initialOptions.metafile = true;
      const root = build.initialOptions.absWorkingDir ?? process.cwd();
      build.onEnd(({ metafile }) => {
        if (metafile === undefined) return;
        const folders = new Map<string, [name: string, folder: string]>();
        const outputs = Object.values(metafile.outputs);
        for (const input of outputs.flatMap(({ inputs }) => Object.keys(inputs))) {
          const [, folder, name] = inPackage.exec(input) ?? [];
          if (folder && name) folders.set(folder, [name, join(root, folder)]);
        }
        const notices = [...folders.values()].sort().map((entry) => readNotice(...entry));
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), formatNotices(notices));
      });
    },
  };
}
