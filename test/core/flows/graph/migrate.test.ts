import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrateNodes } from '../../../../src/core/flows/graph/migrate.js'
import type { Body } from '../../../../src/core/flows/ports.js'
import { node } from '../graphs.js'

test.each<[string, Body, string, Body, string | undefined]>([
  [
    'closePositions',
    { symbol: 'X' },
    'closePosition',
    { symbol: 'X' },
    'closePositions was renamed to closePosition.',
  ],
  [
    'placeOrder',
    { symbol: 'X', priceType: 'MARKET', price: 900 },
    'placeOrder',
    { symbol: 'X', priceType: 'MARKET' },
    'price 900 was removed: priceType is MARKET, so it had no effect.',
  ],
  ['placeOrder', { priceType: 'LIMIT', price: 9 }, 'placeOrder', { priceType: 'LIMIT', price: 9 }, undefined],
  ['placeOrder', { price: 9 }, 'placeOrder', { price: 9 }, undefined],
  [
    'fundCheck',
    { threshold: 5, operator: 'gte' },
    'fundCheck',
    { minAvailable: 5 },
    'threshold was renamed to minAvailable.',
  ],
  ['fundCheck', { threshold: 5 }, 'fundCheck', { minAvailable: 5 }, 'threshold was renamed to minAvailable.'],
  [
    'fundCheck',
    { threshold: 5, operator: 'lt' },
    'fundCheck',
    { threshold: 5, operator: 'lt' },
    "the operator 'lt' of fundCheck is unknown; set minAvailable by hand.",
  ],
  ['fundCheck', { threshold: 5, minAvailable: 6 }, 'fundCheck', { threshold: 5, minAvailable: 6 }, undefined],
  ...['gt', 'GTE', 'ge', '>', ' >= '].map((operator): [string, Body, string, Body, string] => [
    'positionCheck',
    { operator, threshold: 1 },
    'positionCheck',
    { condition: 'quantity_above', threshold: 1 },
    `operator '${operator}' was replaced by condition quantity_above.`,
  ]),
  ...['lt', 'lte', 'le', '<', '<='].map((operator): [string, Body, string, Body, string] => [
    'positionCheck',
    { operator },
    'positionCheck',
    { condition: 'quantity_below' },
    `operator '${operator}' was replaced by condition quantity_below.`,
  ]),
  [
    'positionCheck',
    { operator: 'eq' },
    'positionCheck',
    { operator: 'eq' },
    "the operator 'eq' of positionCheck is unknown; set condition by hand.",
  ],
  [
    'positionCheck',
    { operator: 'gt', condition: 'exists' },
    'positionCheck',
    { operator: 'gt', condition: 'exists' },
    undefined,
  ],
  ['priceCondition', { threshold: 5 }, 'priceCondition', { value: 5 }, 'threshold was renamed to value.'],
  ['priceCondition', { threshold: 5, value: 6 }, 'priceCondition', { threshold: 5, value: 6 }, undefined],
  ...[0, '0', '', null].map((intervalValue): [string, Body, string, Body, string] => [
    'start',
    { scheduleType: 'interval', intervalValue },
    'start',
    { scheduleType: 'interval', intervalValue: 1 },
    `intervalValue '${intervalValue ?? ''}' was replaced by 1, as the public system reads it.`,
  ]),
  [
    'start',
    { scheduleType: 'daily', intervalValue: 0 },
    'start',
    { scheduleType: 'daily', intervalValue: 1 },
    undefined,
  ],
  ['start', { scheduleType: 'interval' }, 'start', { scheduleType: 'interval' }, undefined],
  [
    'start',
    { scheduleType: 'interval', intervalValue: -1 },
    'start',
    { scheduleType: 'interval', intervalValue: -1 },
    undefined,
  ],
  ['log', { threshold: 5, operator: 'gt' }, 'log', { threshold: 5, operator: 'gt' }, undefined],
])('%s %j', (type, data, newType, newData, said) => {
  const { nodes, notes } = migrateNodes([{ ...node('a', type, data), measured: 1 }])
  expect(nodes).toEqual([{ ...node('a', newType, newData), measured: 1 }])
  expect(notes).toEqual(said === undefined ? [] : [`Node 'a': ${said}`])
})

test('a value that is not a list of nodes stays, and a second migration changes nothing', () => {
  expect(migrateNodes('x')).toEqual({ nodes: 'x', notes: [] })
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (given) => {
      const { nodes } = migrateNodes(given)
      expect(nodes).toEqual(given)
    }),
  )
  const { nodes } = migrateNodes([node('a', 'closePositions'), node('b', 'fundCheck', { threshold: 1 })])
  expect(migrateNodes(nodes)).toEqual({ nodes, notes: [] })
})
