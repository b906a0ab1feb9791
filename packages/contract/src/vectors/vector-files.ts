import { buildForgedVectors } from './forged';
import { buildGenuineVectors, buildLargeVectors } from './genuine';

/** The files of `vectors`, by name. */
export const vectorFiles = {
  'genuine.json': buildGenuineVectors,
  'forged.json': buildForgedVectors,
  'large.json': buildLargeVectors,
};
