import { createMemoryStore } from '@tradepost/domain/memory/memory-store';
import type { Store } from '../../src/stores/store';
import { describeStore } from './store-conformance';

describeStore('the store in memory', () => {
  const memory = createMemoryStore();
  const store: Store = {
    ...memory,
    schemaVersion: 0,
    secrets: {
      listKeyIds: async () => [],
      rotate: async () => ({ rotated: 0, unreadable: [], next: null }),
    },
    erasure: { erase: async () => 0 },
    traceChanges() {},
    getWriteDelay: () => 0,
    check: async () => {},
    checkWritable: async () => {},
  };
  return { open: () => store, remove() {} };
});
