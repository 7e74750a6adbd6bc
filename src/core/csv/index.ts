export { csvRecord } from './cells.js'
export { type CsvRecord, csvRecords } from './records.js'
