export { csvRecord } from './cells.js'
