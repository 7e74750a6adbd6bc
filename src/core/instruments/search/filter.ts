import { DERIVATIVE_EXCHANGES } from '../schema.js'
import type { InstrumentTable } from '../table/instrument-table.js'
import type { Documents } from './documents.js'
import { type SearchQuery, typeFilters } from './query.js'

export type DocumentFilter = (document: number) => boolean

/** Compiles the filters of a query for one master; returns undefined if one of them can match nothing. */
export function compileFilter(
  query: SearchQuery,
  table: InstrumentTable,
  documents: Documents,
): DocumentFilter | undefined {
  const documentRow = (document: number) => documents.rows[document] ?? 0
  const filters: DocumentFilter[] = []
  const isDerivative = table.values('exchange').map((exchange) => DERIVATIVE_EXCHANGES.has(exchange))
  if (query.exchanges) {
    const isAskedExchange = table
      .values('exchange')
      .map((exchange) => query.exchanges?.includes(exchange) ?? false)
    if (!isAskedExchange.includes(true)) return undefined
    filters.push((document) => isAskedExchange[table.code('exchange', documentRow(document))] === true)
  }
  if (query.expiry !== undefined) {
    const code = table.codeOf('expiry', query.expiry)
    if (code < 0) return undefined
    filters.push((document) => table.code('expiry', documentRow(document)) === code)
  }
  if (query.underlying !== undefined) {
    const root = query.underlying
    const code = table.codeOf('name', root)
    const symbol = Uint8Array.from(Buffer.from(root, 'latin1'))
    filters.push((document) => {
      const row = documentRow(document)
      return isDerivative[table.code('exchange', row)]
        ? table.code('name', row) === code
        : documents.symbolIs(document, symbol)
    })
  }
  if (query.types) filters.push(typeFilter(query.types, table, documents, isDerivative))
  const { strikeMin = 0, strikeMax = Number.POSITIVE_INFINITY } = query
  if (query.strikeMin !== undefined || query.strikeMax !== undefined) {
    filters.push((document) => {
      const strike = table.strike(documentRow(document))
      return strike > 0 && strike >= strikeMin && strike <= strikeMax
    })
  }
  const [only, ...more] = filters
  if (!only) return () => true
  return more.length === 0 ? only : (document) => filters.every((filter) => filter(document))
}

function typeFilter(
  types: readonly string[],
  table: InstrumentTable,
  documents: Documents,
  isDerivative: readonly boolean[],
): DocumentFilter {
  const filters = typeFilters(types)
  const endings = filters.flatMap((one) => ('ending' in one ? [Buffer.from(one.ending, 'latin1')] : []))
  const names = new Set(filters.flatMap((one) => ('type' in one ? [one.type] : [])))
  const isNamed = table.values('instrumentType').map((type) => names.has(type))
  return (document) => {
    const row = documents.rows[document] ?? 0
    if (isNamed[table.code('instrumentType', row)]) return true
    return (
      isDerivative[table.code('exchange', row)] === true &&
      endings.some((ending) => documents.symbolEndsWith(document, ending))
    )
  }
}
