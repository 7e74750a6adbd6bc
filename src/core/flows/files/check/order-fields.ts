import { pointerOf } from '../../../documents/index.js'
import { hasPrice, priceTypeNamed } from '../../../orders/schema.js'
import { type FlowGraph, hasReference, isBlank } from '../../graph/graph.js'
import { interpolatedText } from '../../language/interpolation.js'
import { parseNumber } from '../../language/numbers.js'
import type { NodeTable } from '../read/readable.js'
import type { GraphFinding } from './references.js'

type Data = Readonly<Record<string, unknown>>

/** Finds orders that must fail or differ from the file, as far as their values are written out. */
export function orderFindings(graph: FlowGraph, table: NodeTable): GraphFinding[] {
  return graph.nodes.flatMap(({ id, type, data }, index) => {
    const fields = table[type]?.fields
    if (!fields?.quantity?.guarded) return []
    const at = (field?: string) =>
      pointerOf(['nodes', index, 'data', ...(field === undefined ? [] : [field])])
    const error = (code: GraphFinding['code'], path: string, message: string): GraphFinding => ({
      severity: 'error',
      code,
      path,
      message: `Node '${id}': ${message}`,
    })
    const missing = 'priceType' in fields && 'price' in fields ? missingPrices(data) : []
    return [
      ...missing.map(({ field, priceType }) =>
        error('missing_required_field', at(), `a ${priceType} order needs ${field}.`),
      ),
      ...fractions(data).map((field) =>
        error(
          'invalid_quantity',
          at(field),
          `${field} '${interpolatedText(data[field])}' is not a whole number.`,
        ),
      ),
    ]
  })
}

/** Returns the prices that the price type of an order needs and the node does not give. */
function missingPrices(data: Data): { field: string; priceType: string }[] {
  const priceType = priceTypeNamed(data.priceType ?? data.pricetype)
  if (priceType === undefined) return []
  const fields = { price: 'price', trigger: 'triggerPrice' } as const
  return (['price', 'trigger'] as const)
    .filter((name) => hasPrice(priceType, name) && isBlank(data[fields[name]]))
    .map((name) => ({ field: fields[name], priceType }))
}

/** Returns the quantities with a fraction. Only CRYPTO has fractions; elsewhere a run would cut them. */
function fractions(data: Data): string[] {
  if (
    interpolatedText(data.exchange ?? '')
      .trim()
      .toUpperCase() === 'CRYPTO' ||
    hasReference(data.exchange)
  )
    return []
  return ['quantity', 'splitSize'].filter((field) => {
    const number = hasReference(data[field]) ? undefined : parseNumber(data[field])
    return number !== undefined && !Number.isInteger(number)
  })
}
