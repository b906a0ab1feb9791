/** Waits for some turns of the event loop, so that what arrived on sockets and pipes is read. */
export async function passTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((done) => setImmediate(done));
}
