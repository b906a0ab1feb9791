/** CSV output, with the library that writes it. */
export { chooseDialect, createCsvFormat } from '../output/csv';
