import { ignoredPrices, priceTypeNamed } from '../../orders/schema.js'
import { isObject } from '../../validation/index.js'
import { interpolatedText } from '../language/interpolation.js'
import { parseNumber } from '../language/numbers.js'
import { isBlank } from './graph.js'

/**
 * Migrates the nodes of older exports to the current names. The notes say what changed and what the author
 * must change by hand. A condition whose meaning would have to be inverted stays unchanged.
 */
export function migrateNodes(nodes: unknown): { nodes: unknown; notes: string[] } {
  if (!Array.isArray(nodes)) return { nodes, notes: [] }
  const notes: string[] = []
  const migrated = nodes.map((node: unknown) => {
    if (!isObject(node) || typeof node.type !== 'string') return node
    const type = presentType(node.type)
    if (type !== node.type)
      notes.push(`Node '${interpolatedText(node.id)}': closePositions was renamed to closePosition.`)
    const migrate = Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined
    const data =
      isObject(node.data) && migrate
        ? migrate(node.data, (note) => notes.push(`Node '${interpolatedText(node.id)}': ${note}`))
        : node.data
    return { ...node, type, data }
  })
  return { nodes: migrated, notes }
}

/** Returns the nodes with their current type names. */
export function presentTypes(nodes: unknown): unknown {
  if (!Array.isArray(nodes)) return nodes
  return nodes.map((node: unknown) =>
    isObject(node) && typeof node.type === 'string' ? { ...node, type: presentType(node.type) } : node,
  )
}

const presentType = (type: string): string => (type === 'closePositions' ? 'closePosition' : type)

type Data = Record<string, unknown>
type Migration = (data: Data, note: (text: string) => void) => Data

const AT_LEAST = ['gt', 'gte', 'ge', '>', '>=']
const AT_MOST = ['lt', 'lte', 'le', '<', '<=']

/** Drops prices that the price type does not have: the editor keeps the price of an order that became MARKET. */
const withoutIgnoredPrices: Migration = (data, note) => {
  const type = priceTypeNamed(isBlank(data.priceType) ? data.pricetype : data.priceType)
  if (type === undefined) return data
  const fields = { price: 'price', trigger: 'triggerPrice' } as const
  const ignored = ignoredPrices(type, { price: data.price, trigger: data.triggerPrice })
  const names: string[] = ignored.map((name) => fields[name])
  for (const name of names) {
    note(`${name} ${interpolatedText(data[name])} was removed: priceType is ${type}, so it had no effect.`)
  }
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)))
}

/** Writes out the interval that the public system takes for 0 and for an empty field. */
const withWrittenInterval: Migration = (data, note) => {
  const { intervalValue: given } = data
  const isZero = isBlank(given) || parseNumber(given) === 0
  if (!Object.hasOwn(data, 'intervalValue') || typeof given === 'boolean' || !isZero) return data
  if (wordOf(data.scheduleType ?? '') === 'interval') {
    note(`intervalValue '${interpolatedText(given ?? '')}' was replaced by 1, as the public system reads it.`)
  }
  return { ...data, intervalValue: 1 }
}

const BY_TYPE: Readonly<Record<string, Migration>> = {
  start: withWrittenInterval,
  placeOrder: withoutIgnoredPrices,
  smartOrder: withoutIgnoredPrices,
  splitOrder: withoutIgnoredPrices,
  optionsOrder: withoutIgnoredPrices,
  fundCheck: (data, note) => {
    if (isBlank(data.threshold) || !isBlank(data.minAvailable)) return data
    const { threshold, operator, ...rest } = data
    if (!isBlank(operator) && !AT_LEAST.includes(wordOf(operator))) {
      note(`the operator '${interpolatedText(operator)}' of fundCheck is unknown; set minAvailable by hand.`)
      return data
    }
    note('threshold was renamed to minAvailable.')
    return { ...rest, minAvailable: threshold }
  },
  positionCheck: (data, note) => {
    if (isBlank(data.operator) || !isBlank(data.condition)) return data
    const { operator, ...rest } = data
    const word = wordOf(operator)
    const condition = AT_LEAST.includes(word)
      ? 'quantity_above'
      : AT_MOST.includes(word)
        ? 'quantity_below'
        : undefined
    if (!condition) {
      note(`the operator '${interpolatedText(operator)}' of positionCheck is unknown; set condition by hand.`)
      return data
    }
    note(`operator '${interpolatedText(operator)}' was replaced by condition ${condition}.`)
    return { ...rest, condition }
  },
  priceCondition: (data, note) => {
    if (isBlank(data.threshold) || !isBlank(data.value)) return data
    const { threshold, ...rest } = data
    note('threshold was renamed to value.')
    return { ...rest, value: threshold }
  },
}

const wordOf = (value: unknown): string => interpolatedText(value).trim().toLowerCase()
