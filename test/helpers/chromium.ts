import { existsSync } from 'node:fs';

/** Where Debian installs Chromium. The first one has no windows, and needs two thirds of the processor time for the same tests. */
const debianPaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Where Chromium is: where `CHROMIUM_PATH` says, or where Debian installs it. */
export const chromiumPath =
  process.env.CHROMIUM_PATH ?? debianPaths.find((path) => existsSync(path)) ?? '/usr/bin/chromium';
