import { pointerOf } from '../../../documents/index.js'
import { PRICE_TYPES } from '../../../orders/schema.js'
import { type FlowGraph, hasReference, isBlank } from '../../graph/graph.js'
import { textOf } from '../../language/interpolation.js'
import { parseNumber } from '../../language/numbers.js'
import { pricesOf } from '../../nodes/orders/fields.js'
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
        error('invalid_quantity', at(field), `${field} '${textOf(data[field])}' is not a whole number.`),
      ),
    ]
  })
}

/** Returns the prices that the price type of an order needs and the node does not give. */
function missingPrices(data: Data): { field: string; priceType: string }[] {
  const given = textOf(data.priceType ?? data.pricetype ?? '')
    .trim()
    .toUpperCase()
  const priceType = PRICE_TYPES.find((one) => one === given)
  if (priceType === undefined) return []
  const { limit, trigger } = pricesOf(priceType)
  const needed = [...(limit ? ['price'] : []), ...(trigger ? ['triggerPrice'] : [])]
  return needed.filter((field) => isBlank(data[field])).map((field) => ({ field, priceType }))
}

/** Returns the quantities with a fraction. Only CRYPTO has fractions; elsewhere a run would cut them. */
function fractions(data: Data): string[] {
  if (
    textOf(data.exchange ?? '')
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
