/** Runs `work` for each item, a few at a time: each starts a process, and there are few processors. */
export async function runAll<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  concurrency = 3,
): Promise<void> {
  const remaining = [...items].values();
  async function run(): Promise<void> {
    for (const item of remaining) await work(item);
  }
  await Promise.all(Array.from({ length: concurrency }, run));
}
