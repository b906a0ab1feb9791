/** Returns the example lines of a help page, without the leading `$`. */
export function findExamples(help: string): string[] {
  const [, section = ''] = /^EXAMPLES:\n(.*?)(?:\n\n|$(?![\s\S]))/ms.exec(help) ?? [];
  return section
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('$ '))
    .map((line) => line.slice(2));
}
