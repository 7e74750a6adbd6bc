export { CurrentDirectory, InMemoryDirectory } from './directory.js'
export { compareExpiries, dateToExpiry, expiryToDate, MONTHS } from './expiry.js'
export { compactExpiry, longExpiry, storedExpiry } from './expiry-forms.js'
export {
  DUMP_FORMATS,
  type DumpFormat,
  type ImportResult,
  Instruments,
  type InstrumentsOptions,
  type MasterStatus,
  type ReplaceResult,
} from './instruments.js'
export { type DumpProblem, parseKiteDump } from './kite-dump.js'
export { isExchange } from './row-check.js'
export * from './schema.js'
export { liveExpiries, optionRoots } from './search/contract-lists.js'
export { InstrumentSearch } from './search/instrument-search.js'
export type { SearchHits, SearchQuery } from './search/query.js'
export { instrumentRow, ROW_COLUMNS, searchRow } from './search/row-view.js'
export type { HolidayPredicate } from './simulated-master/expiry-calendar.js'
export {
  type SimulatedUnderlying,
  simulatedUnderlyingOf,
  UNDERLYINGS,
} from './simulated-master/underlyings.js'
export { type SimulatedMasterOptions, simulatedMaster } from './simulated-master.js'
export { type StaleReason, staleReason } from './staleness.js'
export type { MasterRecord, MasterSource } from './store.js'
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
} from './symbol-grammar.js'
