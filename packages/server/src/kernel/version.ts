import { version as packageVersion } from '../../package.json';

/** This package's version, as `User-Agent` and `--version` tell it. */
export const version: string = packageVersion;
