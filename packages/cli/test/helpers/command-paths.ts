import { helpSections } from '../../src/command-tree';

/** Every command that a person may type, such as `orders list`. */
export const commandPaths = Object.values(helpSections).flatMap((section) =>
  Object.entries(section).flatMap(([name, entry]) => {
    if ('load' in entry) return entry.hidden ? [] : [name];
    return Object.keys(entry.commands).map((command) => `${name} ${command}`);
  }),
);
