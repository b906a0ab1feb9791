/** The samples of a scrape: values by name and labels. */
export type Samples = Map<string, number>;

/** Reads metrics as Prometheus does. */
export async function scrape(url: string): Promise<Samples> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return readSamples(text);
}

/** Parses the text format of Prometheus. Throws for an invalid line, and for a repeated sample. */
export function readSamples(text: string): Samples {
  const samples: Samples = new Map();
  for (const line of text.split('\n')) {
    if (line === '' || /^# (HELP|TYPE) /.test(line)) continue;
    const [, name, value] = /^([a-z_][a-z0-9_]*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (name === undefined || samples.has(name)) throw new Error(`no sample, or twice: ${line}`);
    samples.set(name, Number(value));
  }
  return samples;
}

/** Returns the samples whose names start with a prefix. */
export function findSamples(samples: Samples, prefix: string): Record<string, number> {
  const found = [...samples].filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]));
}
