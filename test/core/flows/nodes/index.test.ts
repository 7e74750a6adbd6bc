import { describe, expect, test } from 'vitest'
import { EFFECTS, FAMILIES } from '../../../../src/core/flows/nodes/definition.js'
import { NODES, nodeOf } from '../../../../src/core/flows/nodes/index.js'

/** All node types: the family, the required fields, and whether there are yes and no edges. */
const INDEX: Readonly<Record<string, readonly [family: string, required: string, branching?: true]>> = {
  start: ['trigger', ''],
  webhookTrigger: ['trigger', ''],
  priceAlert: ['trigger', 'symbol exchange condition', true],
  orderUpdateTrigger: ['trigger', ''],
  placeOrder: ['order', 'symbol exchange action quantity'],
  smartOrder: ['order', 'symbol exchange action'],
  optionsOrder: ['order', 'underlying action quantity'],
  optionsMultiOrder: ['order', 'underlying'],
  modifyOrder: ['order', 'orderId'],
  cancelOrder: ['order', 'orderId'],
  cancelAllOrders: ['order', ''],
  closePosition: ['order', ''],
  basketOrder: ['order', 'orders'],
  splitOrder: ['order', 'symbol exchange action quantity splitSize'],
  getQuote: ['data', 'symbol exchange'],
  getDepth: ['data', 'symbol exchange'],
  multiQuotes: ['data', 'symbols'],
  history: ['data', 'symbol exchange interval'],
  priorPeriodOhlc: ['data', 'symbol exchange'],
  barOffset: ['data', 'symbol exchange'],
  indicator: ['data', 'symbol exchange indicatorName'],
  intervals: ['data', ''],
  getOrderStatus: ['data', 'orderId'],
  openPosition: ['data', 'symbol exchange'],
  optionChain: ['data', 'underlying'],
  optionSymbol: ['data', 'underlying optionType'],
  symbol: ['data', 'symbol exchange'],
  expiry: ['data', 'symbol exchange'],
  syntheticFuture: ['data', 'underlying'],
  strategyPnl: ['data', ''],
  orderBook: ['data', ''],
  tradeBook: ['data', ''],
  positionBook: ['data', ''],
  holdings: ['data', ''],
  funds: ['data', ''],
  margin: ['data', ''],
  calendar: ['data', ''],
  holidays: ['data', ''],
  timings: ['data', ''],
  priceCondition: ['condition', 'symbol exchange operator', true],
  varCondition: ['condition', 'leftValue operator', true],
  positionCheck: ['condition', 'symbol exchange condition', true],
  fundCheck: ['condition', 'minAvailable', true],
  timeWindow: ['condition', '', true],
  timeCondition: ['condition', '', true],
  andGate: ['condition', '', true],
  orGate: ['condition', '', true],
  notGate: ['condition', '', true],
  subscribeLtp: ['streaming', 'symbol exchange'],
  subscribeQuote: ['streaming', 'symbol exchange'],
  subscribeDepth: ['streaming', 'symbol exchange'],
  unsubscribe: ['streaming', ''],
  variable: ['utility', 'variableName'],
  mathExpression: ['utility', 'expression'],
  log: ['utility', ''],
  delay: ['utility', ''],
  waitUntil: ['utility', 'targetTime'],
  httpRequest: ['utility', 'url'],
  telegramAlert: ['utility', 'message'],
  whatsappAlert: ['utility', 'message'],
  group: ['utility', ''],
}

test('there are exactly these 61 types', () => {
  expect(Object.keys(NODES).sort()).toEqual(Object.keys(INDEX).sort())
  expect(Object.keys(INDEX)).toHaveLength(61)
})

test.each(Object.entries(INDEX))('%s', (type, [family, required, branching = false]) => {
  const definition = nodeOf(type)
  const needed = Object.entries(definition?.fields ?? {}).flatMap(([name, field]) =>
    field.required ? [name] : [],
  )
  expect({ family: definition?.family, branching: definition?.branching, needed: needed.sort() }).toEqual({
    family,
    branching,
    needed: required.split(' ').filter(Boolean).sort(),
  })
})

test('names of prototype members are not types', () => {
  for (const type of ['constructor', '__proto__', 'toString', 'PlaceOrder', 'placeOrder ', '']) {
    expect(nodeOf(type)).toBeUndefined()
  }
})

describe.each(Object.values(NODES).map((definition) => ({ type: definition.type, definition })))(
  '$type documents itself',
  ({ type, definition }) => {
    test('with a sentence', () => {
      expect(NODES[type]).toBe(definition)
      expect(definition.summary).toMatch(/^[A-Z].*\.$/)
      expect(FAMILIES).toContain(definition.family)
      expect(EFFECTS).toContain(definition.effect)
    })

    test('with its result, if it is stored', () => {
      const described = Object.entries(definition.output).filter(([, { description }]) => description !== '')
      if (definition.storesOutput) expect(described.length).toBeGreaterThan(0)
      for (const [name, { description }] of described) expect(description, name).toMatch(/[.…]$/)
      if (definition.defaultOutput !== undefined) expect(definition.storesOutput).toBe(true)
    })

    test('with all fields', () => {
      const names = Object.entries(definition.fields).flatMap(([name, { aliases = [] }]) => [
        name,
        ...aliases,
      ])
      expect(new Set(names).size).toBe(names.length)
      for (const [name, field] of Object.entries(definition.fields)) {
        expect(field.description, name).toMatch(/^\S.*\.$/)
        const { choices, min, max, default: fallback } = field
        if (choices && fallback !== undefined) expect(['', ...choices], name).toContain(fallback)
        if (choices) expect(new Set(choices.map((one) => one.toLowerCase())).size, name).toBe(choices.length)
        if (min !== undefined || max !== undefined) expect(['number', 'integer'], name).toContain(field.kind)
        if (typeof fallback === 'number') {
          expect(fallback, name).toBeGreaterThanOrEqual(min ?? fallback)
          expect(fallback, name).toBeLessThanOrEqual(max ?? fallback)
        }
      }
    })
  },
)
