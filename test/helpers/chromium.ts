/** Where Chromium is: where `CHROMIUM_PATH` says, or where Debian installs it. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
