import { type Path, pointerOf } from '../../../documents/index.js'
import { contradiction, priceTypeNamed, type TermNames } from '../../../orders/schema.js'
import { isObject } from '../../../validation/index.js'
import { type FlowGraph, isBlank } from '../../graph/graph.js'
import type { Fields } from '../../nodes/field.js'
import type { WorkflowFile } from '../read/read.js'
import type { NodeTable } from '../read/readable.js'
import type { GraphFinding } from './references.js'

type Data = Readonly<Record<string, unknown>>

/** The field names of each form of an order: of nodes, of changes, of the orders and legs in lists. */
const FORMS: readonly TermNames[] = [
  { type: 'priceType', price: 'newPrice', trigger: 'newTriggerPrice' },
  { type: 'priceType', price: 'price', trigger: 'triggerPrice' },
  { type: 'pricetype', price: 'price', trigger: 'trigger_price' },
]

/**
 * Finds prices that contradict the price type written beside them. A run ignores them, as the public system does: its
 * editor keeps the price of an order that became MARKET, so graphs only get a warning. A file that somebody wrote says
 * two different things.
 */
export function priceTypeFindings({ form, graph }: WorkflowFile, table: NodeTable): GraphFinding[] {
  return found(graph, table).map(({ id, path, message }) => ({
    severity: form === 'readable' ? 'error' : 'warning',
    code: 'invalid_price',
    path: pointerOf(path),
    message: `Node '${id}': ${message}`,
  }))
}

interface Found {
  id: string
  path: Path
  message: string
}

function found({ nodes }: FlowGraph, table: NodeTable): Found[] {
  return nodes.flatMap(({ id, type, data }, index) => {
    const fields = table[type]?.fields
    if (fields?.priceType === undefined) return []
    const path = ['nodes', index, 'data']
    return [...clash(fields, data, undefined, path), ...inLists(fields, data, path)].map((one) => ({
      id,
      ...one,
    }))
  })
}

/** Checks the orders of lists; one without a price type has that of its node. */
function inLists(fields: Fields, data: Data, path: Path): Omit<Found, 'id'>[] {
  return Object.entries(fields).flatMap(([name, { items }]) => {
    const saved = data[name]
    if (items === undefined || isBlank(saved)) return []
    return items.of(saved).flatMap((item, index) => {
      const at = Array.isArray(saved) ? [...path, name, index] : [...path, name]
      const own = isObject(item) ? clash(items.fields, item, fieldIn(fields, data, 'priceType'), at) : []
      return own.map(({ message }) => ({ path: at, message: `${name} ${index + 1}: ${message}` }))
    })
  })
}

function clash(fields: Fields, data: Data, inherited: unknown, path: Path): Omit<Found, 'id'>[] {
  const names = FORMS.find(({ price, type }) => price in fields && type in fields)
  if (names === undefined) return []
  const given = fieldIn(fields, data, names.type)
  const type = priceTypeNamed(isBlank(given) ? inherited : given)
  const prices = { price: fieldIn(fields, data, names.price), trigger: fieldIn(fields, data, names.trigger) }
  const problem = type && contradiction(type, prices, names)
  return problem
    ? [{ path: [...path, names[problem.price]], message: `${problem.message} ${problem.remedy}` }]
    : []
}

/** Returns the value of a field under its name or an alias. */
function fieldIn(fields: Fields, data: Data, field: string): unknown {
  return [field, ...(fields[field]?.aliases ?? [])].map((name) => data[name]).find((value) => !isBlank(value))
}
