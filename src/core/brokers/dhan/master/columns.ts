import { ServiceError } from '../../../errors/index.js'

/**
 * The columns that are read, by their names in the detailed master and in the compact one. The compact one has no underlying:
 * the first word of the name that it shows for a contract is it.
 */
const NAMES = {
  exchange: ['EXCH_ID', 'SEM_EXM_EXCH_ID'],
  segment: ['SEGMENT', 'SEM_SEGMENT'],
  token: ['SECURITY_ID', 'SEM_SMST_SECURITY_ID'],
  instrument: ['INSTRUMENT', 'SEM_INSTRUMENT_NAME'],
  code: ['SYMBOL_NAME', 'SEM_TRADING_SYMBOL'],
  shown: ['DISPLAY_NAME', 'SEM_CUSTOM_SYMBOL'],
  underlying: ['UNDERLYING_SYMBOL'],
  lot: ['LOT_SIZE', 'SEM_LOT_UNITS'],
  expiry: ['SM_EXPIRY_DATE', 'SEM_EXPIRY_DATE'],
  strike: ['STRIKE_PRICE', 'SEM_STRIKE_PRICE'],
  right: ['OPTION_TYPE', 'SEM_OPTION_TYPE'],
  tick: ['TICK_SIZE', 'SEM_TICK_SIZE'],
  series: ['SERIES', 'SEM_SERIES'],
} as const
type Column = keyof typeof NAMES

/** A column that may be missing is empty then. */
const OPTIONAL: ReadonlySet<string> = new Set<Column>(['underlying', 'series'])

/** Reads a column of a record. */
export type Cell = (column: Column) => string

/**
 * Returns the reader of a master's records, from its header. Columns are found by name, because the files differ in their order.
 * @throws ServiceError `validation` if the header is not that of a master
 */
export function cellsBy(header: readonly string[]): (fields: readonly string[]) => Cell {
  const titles = header.map((title) => title.trim().toUpperCase())
  const positions = new Map<string, number>()
  for (const [column, names] of Object.entries(NAMES)) {
    const known: ReadonlySet<string> = new Set(names)
    const position = titles.findIndex((title) => known.has(title))
    if (position < 0 && !OPTIONAL.has(column))
      throw new ServiceError(
        'validation',
        `this is not a master of Dhan: its header lacks ${names.join(' and ')}`,
      )
    positions.set(column, position)
  }
  return (fields) => (column) => fields[positions.get(column) ?? -1]?.trim() ?? ''
}
