import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
export interface ReferencePage {
  path: string;
  title: string;
  group: 'events' | 'sdk' | 'cli' | 'schemas';
}
export async function writeReference(folder: string): Promise<ReferencePage[]> {
  mkdirSync(join(folder, 'events'));
  writeFileSync(join(folder, 'events/order-created.md'), '# order.created\n\nText {{ x }} <T>.\n');
  return [{ path: 'events/order-created.md', title: 'order.created', group: 'events' }];
}
