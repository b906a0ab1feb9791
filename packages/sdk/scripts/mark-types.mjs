/**
 * Marks what a declaration file exports and its script does not as types, such as the classes of resources, whose constructors
 * are internal. The declaration build loses that of classes and enums, and a program could import a value that does not exist.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const { import: module, require: common } of Object.values(exports)) {
  if (module === undefined) continue;
  const values = new Set(
    Object.keys(await import(new URL(`../${module.default}`, import.meta.url))),
  );
  for (const { types } of [module, common]) {
    const text = readFileSync(types, 'utf8');
    const mark = (item) => {
      const name = item.split(' ').at(-1);
      return item.startsWith('type ') || values.has(name) ? item : `type ${item}`;
    };
    writeFileSync(
      types,
      text.replace(
        /^export \{ (.*) \};$/gm,
        (_, list) => `export { ${list.split(', ').map(mark).join(', ')} };`,
      ),
    );
  }
}
