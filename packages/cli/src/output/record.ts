import { pad } from './cell';
import { cellWidth, prepareToMeasure } from './cell-width';
import { fieldText } from './field-text';
import { harmless } from './harmless';
import type { Style } from './style';

/** A single thing for people: a line for each field, `field  value`, with every field it has. */
export async function recordText(item: object, style: Style): Promise<string> {
  const lines = Object.entries(item).map(
    ([field, value]) => [harmless(field), harmless(fieldText(value))] as const,
  );
  const fields = lines.map(([field]) => field);
  await prepareToMeasure(fields);
  const width = Math.max(0, ...fields.map(cellWidth));
  return lines
    .map(([field, value]) => `${style('bold', pad(field, width))}  ${value}`.trimEnd().concat('\n'))
    .join('');
}
