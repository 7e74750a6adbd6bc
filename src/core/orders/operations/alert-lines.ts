/** A request or its answer, as events carry them. */
export type Facts = Readonly<Record<string, unknown>>

/** A line of an alert. Symbols are highlighted if the channel supports it. */
export type AlertLine =
  | { label: string; text: unknown }
  | { label: string; symbol: unknown }
  /** The result of one of several orders. */
  | { isOk: boolean; symbol: unknown; text: string }
  | { text: string }

export interface AlertFacts {
  title: string
  lines(request: Facts, response: Facts): readonly AlertLine[]
}

export function fact(label: string, text: unknown): AlertLine {
  return { label, text }
}

export function failure(response: Facts): AlertLine {
  return fact('Error', response.message ?? 'Failed')
}

export function counts(total: string, results: readonly Facts[]): AlertLine[] {
  const successful = results.filter(succeeded).length
  return [
    fact(total, results.length),
    fact('Successful', successful),
    fact('Failed', results.length - successful),
  ]
}

/** Lists the first results one by one, then the number of the rest. */
export function listed(
  results: readonly Facts[],
  most: number,
  outcome: (row: Facts) => string,
): AlertLine[] {
  const lines = results
    .slice(0, most)
    .map((row): AlertLine => ({ isOk: succeeded(row), symbol: row.symbol, text: outcome(row) }))
  const left = results.length - lines.length
  return left > 0 ? [...lines, { text: `... and ${left} more` }] : lines
}

export function legOutcome(row: Facts): string {
  return ` ${row.action ?? ''} → ${outcomeOf(row)}`
}

/** Returns the order id of a result, or the ids of its parts; the error message if it failed. */
export function outcomeOf(row: Facts): string {
  if (!succeeded(row)) return String(row.message ?? 'Failed')
  const ids = [row, ...rowsOf(row.split_results)].flatMap(({ orderid }) => orderid ?? [])
  return ids.length > 0 ? ids.join(', ') : 'N/A'
}

export function splitOutcome(results: readonly Facts[]): AlertLine[] {
  const failed = results.filter((row) => !succeeded(row))
  const [first] = failed
  if (!first) return []
  const text = failed.length === results.length ? 'All orders rejected' : 'Partial fill'
  return [{ text }, fact('Reason', first.message ?? 'Failed')]
}

export function succeeded(response: Facts): boolean {
  return response.status === 'success'
}

export function rowsOf(value: unknown): Facts[] {
  return listOf(value).filter((row): row is Facts => typeof row === 'object' && row !== null)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
