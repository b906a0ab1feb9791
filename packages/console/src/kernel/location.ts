/**
 * Where the console is served, with a slash at its end. Its files are in a folder below, whatever path prefix a proxy adds; Vite serves
 * this source from two.
 */
export const consoleUrl = new URL(
  /* @vite-ignore */ import.meta.env.DEV ? '../..' : '..',
  import.meta.url,
);

/** The base URL of the service: one folder above the console. */
export const serviceUrl = new URL('..', consoleUrl).href.replace(/\/$/, '');

/** The path below which the pages of the console are, without a slash at its end. */
export const basePath = consoleUrl.pathname.replace(/\/$/, '');
