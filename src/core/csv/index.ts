export { BYTE_ORDER_MARK, withoutByteOrderMark } from './byte-order-mark.js'
export { csvRecord } from './cells.js'
export { type CsvRecord, csvRecords } from './records.js'
