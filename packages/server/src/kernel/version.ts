import { version as packageVersion } from '../../package.json';

/** This package's version, as in `User-Agent` and `--version`. */
export const version: string = packageVersion;
