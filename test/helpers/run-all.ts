/** Does something with each of several things, a few at a time: each takes a process, and cores are few. */
export async function runAll<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  atOnce = 3,
): Promise<void> {
  const waiting = [...items].values();
  async function go(): Promise<void> {
    for (const item of waiting) await work(item);
  }
  await Promise.all(Array.from({ length: atOnce }, go));
}
