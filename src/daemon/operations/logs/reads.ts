/**
 * The names in the logs of requests that only read: the books, the prices and the modes. A screen reads them every few
 * seconds, so a log with them shows little else. A test keeps the list as long as there are such operations.
 */
export const READS: readonly string[] = [
  'analyzer_status',
  'depth',
  'funds',
  'history',
  'holdings',
  'margin',
  'openposition',
  'orderbook',
  'orderstatus',
  'positionbook',
  'quotes',
  'tradebook',
]
