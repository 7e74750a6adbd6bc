export { BYTE_ORDER_MARK, withoutByteOrderMark } from './byte-order-mark.js'
export { plainNumber, withDecimals } from './plain-number.js'
export { type CsvRecord, csvRecord, csvRecords } from './records.js'
