import { pad } from './cell';
import { fieldText } from './field-text';
import { harmless } from './harmless';
import type { Style } from './style';

/** A single thing for people: a line for each field, `field  value`, with every field it has. */
export function recordText(item: object, style: Style): string {
  const lines = Object.entries(item).map(
    ([field, value]) => [harmless(field), harmless(fieldText(value))] as const,
  );
  const width = Math.max(0, ...lines.map(([field]) => field.length));
  return lines
    .map(([field, value]) => `${style('bold', pad(field, width))}  ${value}`.trimEnd().concat('\n'))
    .join('');
}
