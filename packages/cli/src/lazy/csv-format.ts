/** CSV output, with the library that writes it. */
export { createCsvFormat } from '../output/csv';
