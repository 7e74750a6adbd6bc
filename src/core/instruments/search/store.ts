import type { Database, SqlValue } from '../../storage/index.js'
import { DERIVATIVE_EXCHANGES, type Instrument } from '../schema.js'
import { CURRENT_ROWS, INSTRUMENT_COLUMNS, instrumentOf } from '../store.js'
import { type SearchQuery, type Term, termsOf, typeFilters, wholeText } from './query.js'

/** An SQL condition and its parameters. */
interface Clause {
  sql: string
  params: SqlValue[]
}

const ESCAPE = `escape '\\'`
const FIELDS = ['symbol', 'brsymbol', 'name', 'token'] as const
const IS_DERIVATIVE = `exchange in (${[...DERIVATIVE_EXCHANGES].map((code) => `'${code}'`).join(', ')})`
/** SQLite treats a negative limit as "no limit". */
const NO_LIMIT = -1

/** The same search in SQL, used until the index is built. Rules and order are the same. */
export class SearchStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async find(query: SearchQuery): Promise<Instrument[]> {
    const { sql, params } = searchSql(query)
    const [row] = await this.#db.queryRaw(sql, params)
    const rows: unknown = JSON.parse(String(row?.rows))
    return Array.isArray(rows) ? rows.map((cells) => instrumentOf(cells)) : []
  }
}

/** Returns the SQL statement of a query; every value is a parameter. */
export function searchSql(query: SearchQuery): { sql: string; params: SqlValue[] } {
  const whole = wholeText(query.text)
  const terms = termsOf(whole)
  const where = [...terms.map(termClause), ...filterClauses(query)]
  const rank = rankClause(whole, terms)
  const cells = INSTRUMENT_COLUMNS.join(', ')
  const sql = `select json_group_array(json_array(${cells})) as rows from (
    select * from ${CURRENT_ROWS} ${where.length > 0 ? `where ${where.map((one) => one.sql).join(' and ')}` : ''}
    order by ${rank.sql}, length(symbol), upper(symbol), id limit ?)`
  const limit = Number.isFinite(query.limit) ? query.limit : NO_LIMIT
  return { sql, params: [...where.flatMap((one) => one.params), ...rank.params, limit] }
}

function termClause({ text, strike }: Term): Clause {
  const likes = FIELDS.map((field) => `${field} like ? ${ESCAPE}`)
  const params: SqlValue[] = FIELDS.map(() => containing(text))
  if (strike === undefined || strike === 0) return { sql: `(${likes.join(' or ')})`, params }
  return { sql: `(${likes.join(' or ')} or strike = ?)`, params: [...params, strike] }
}

function rankClause(whole: string, terms: readonly Term[]): Clause {
  if (terms.length === 0) return { sql: 'null', params: [] }
  const inside = terms.map(() => `symbol like ? ${ESCAPE}`).join(' and ')
  return {
    sql: `case when upper(symbol) = ? then 0 when symbol like ? ${ESCAPE} then 1 when ${inside} then 2 else 3 end`,
    params: [whole, `${escaped(whole)}%`, ...terms.map((term) => containing(term.text))],
  }
}

function filterClauses(query: SearchQuery): Clause[] {
  const clauses: Clause[] = []
  const add = (sql: string, ...params: SqlValue[]) => clauses.push({ sql, params })
  if (query.exchanges) {
    add(`exchange in (${query.exchanges.map(() => '?').join(', ')})`, ...query.exchanges)
  }
  if (query.expiry !== undefined) add('expiry = ?', query.expiry)
  if (query.underlying !== undefined) {
    add(`case when ${IS_DERIVATIVE} then name else upper(symbol) end = ?`, query.underlying)
  }
  if (query.types) {
    const filters = typeFilters(query.types)
    const sql = filters.map((one) =>
      'ending' in one ? `(${IS_DERIVATIVE} and symbol like ?)` : 'instrumenttype = ?',
    )
    add(
      `(${sql.join(' or ') || 'false'})`,
      ...filters.map((one) => ('ending' in one ? `%${one.ending}` : one.type)),
    )
  }
  if (query.strikeMin !== undefined) add('strike > 0 and strike >= ?', query.strikeMin)
  if (query.strikeMax !== undefined) add('strike > 0 and strike <= ?', query.strikeMax)
  return clauses
}

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&')
const containing = (text: string): string => `%${escaped(text)}%`
