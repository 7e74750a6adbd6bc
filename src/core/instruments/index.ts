export { hasContractUnits, lotInUnits, unsettledContract } from './contracts/contract-units.js'
export { CurrentDirectory, InMemoryDirectory } from './directory.js'
export { FreezeQuantities } from './freeze/freeze-quantities.js'
export { freezeProblem, largestOrderOf, piecesOf, piecesProblem } from './freeze/largest-order.js'
export * from './freeze/schema.js'
export {
  type ImportResult,
  Instruments,
  type InstrumentsOptions,
  type MasterStatus,
  type ReplaceResult,
} from './instruments.js'
export {
  bandProblem,
  marketProblem,
  orderProblem,
  productProblem,
  type RuledMarket,
  type RuledOrder,
  type RuleProblem,
  sizeProblem,
  stopProblem,
  tickProblem,
  tradableProblem,
  triggerProblem,
} from './order-rules.js'
export * from './schema.js'
export { liveExpiries, optionRoots } from './search/contract-lists.js'
export { InstrumentSearch } from './search/instrument-search.js'
export type { SearchHits, SearchQuery } from './search/query.js'
export { instrumentRow, ROW_COLUMNS, searchRow } from './search/row-view.js'
export { unlistedText } from './search/unlisted.js'
export { type StaleReason, staleReason } from './staleness.js'
export type { MasterRecord, MasterSource } from './store.js'
export { expiryDateOf } from './symbols/contract-expiry.js'
export {
  compactExpiry,
  compareExpiries,
  dateToExpiry,
  expiryToDate,
  longExpiry,
  MONTHS,
  storedExpiry,
} from './symbols/expiry.js'
export {
  datedPrefix,
  futureSymbol,
  optionSymbol,
  perpetualSymbol,
  type SymbolParts,
  splitPerpetual,
  splitSymbol,
  strikeText,
  underlyingOf,
} from './symbols/symbol-grammar.js'
export { isExchange, rowFault } from './table/row-check.js'
