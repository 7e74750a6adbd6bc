import { describe, expect, test } from 'vitest'
import { type NodeDefinition, NodeError } from '../../../src/core/flows/nodes/definition.js'
import { NODES } from '../../../src/core/flows/nodes/index.js'
import { COMMON } from '../../../src/core/flows/nodes/output.js'
import type { Body } from '../../../src/core/flows/ports.js'
import { memberMisfits } from '../../core/flows/nodes/misfits.js'
import { type PortsOptions, recordingPorts, runNode } from '../../core/flows/support.js'
import { FlowRig, graphOf, linesOf } from '../operations/flows/flow-rig.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const TRADE = { ...SBIN, action: 'BUY', quantity: 4, priceType: 'MARKET', product: 'MIS' }
const RESTING = { ...TRADE, priceType: 'LIMIT', price: 900 }
const OPTION = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiryDate: '23NOV26' }
const BARS = { ...SBIN, interval: 'D' }

/** A configuration for every node that stores its result, in an order in which they can run. */
const STORING: readonly (readonly [type: string, data: Body])[] = [
  ['placeOrder', TRADE],
  ['placeOrder', { ...RESTING, outputVariable: 'resting' }],
  ['smartOrder', { ...TRADE, positionSize: 6 }],
  ['smartOrder', { ...TRADE, positionSize: 6, outputVariable: 'satisfied' }],
  ['splitOrder', { ...TRADE, splitSize: 2 }],
  ['basketOrder', { orders: 'SBIN,NSE,BUY,1\nTCS,NSE,BUY,1', outputVariable: 'basketOrder' }],
  ['optionsOrder', { ...OPTION, offset: 'ATM', optionType: 'CE', action: 'BUY', quantity: 1 }],
  ['optionsOrder', { ...OPTION, action: 'BUY', quantity: 2, splitSize: 65, outputVariable: 'splitOption' }],
  ['optionsMultiOrder', { ...OPTION, strategy: 'straddle', action: 'SELL', quantity: 1 }],
  ['modifyOrder', { orderId: '{{resting.orderid}}', newPrice: 890 }],
  ['getOrderStatus', { orderId: '{{resting.orderid}}' }],
  ['orderBook', {}],
  ['cancelOrder', { orderId: '{{resting.orderid}}' }],
  ['cancelAllOrders', {}],
  ['tradeBook', {}],
  ['positionBook', {}],
  ['openPosition', { ...SBIN, product: 'MIS' }],
  ['strategyPnl', {}],
  ['holdings', {}],
  ['funds', {}],
  ['margin', TRADE],
  ['getQuote', SBIN],
  ['getDepth', SBIN],
  ['multiQuotes', { symbols: 'SBIN, NOSUCH' }],
  ['intervals', {}],
  ['history', BARS],
  ['barOffset', BARS],
  ['priorPeriodOhlc', { ...SBIN, period: 'previous_day' }],
  ['indicator', { ...BARS, indicatorName: 'rsi' }],
  ['indicator', { ...BARS, indicatorName: 'macd', outputVariable: 'macd' }],
  ['optionChain', { ...OPTION, strikeCount: 2 }],
  ['optionSymbol', { ...OPTION, optionType: 'CE' }],
  ['syntheticFuture', OPTION],
  ['symbol', SBIN],
  ['expiry', { symbol: 'NIFTY', exchange: 'NFO' }],
  ['calendar', {}],
  ['holidays', {}],
  ['timings', {}],
  ['subscribeLtp', SBIN],
  ['subscribeQuote', SBIN],
  ['subscribeDepth', SBIN],
  ['closePosition', SBIN],
  ['closePosition', { outputVariable: 'closeAll' }],
]

/** A configuration for every other node. They have no result on the account, so answers of tests suffice. */
const OTHERS: readonly (readonly [type: string, data: Body])[] = [
  ['start', {}],
  ['webhookTrigger', {}],
  ['orderUpdateTrigger', SBIN],
  ['priceAlert', { ...SBIN, condition: 'greater_than', price: 1 }],
  ['priceCondition', { ...SBIN, operator: '>', value: 1 }],
  ['varCondition', { leftValue: '1', operator: '>', rightValue: '0' }],
  ['positionCheck', { ...SBIN, condition: 'exists' }],
  ['fundCheck', { minAvailable: 1 }],
  ['timeWindow', {}],
  ['timeCondition', {}],
  ['andGate', {}],
  ['orGate', {}],
  ['notGate', {}],
  ['unsubscribe', {}],
  ['variable', { variableName: 'x', value: '[1]' }],
  ['mathExpression', { expression: '1 + 1' }],
  ['log', { message: 'x' }],
  ['delay', { delayMs: 0 }],
  ['waitUntil', { targetTime: '09:30' }],
  ['httpRequest', { url: 'https://example.com' }],
  ['telegramAlert', { message: 'x' }],
  ['whatsappAlert', { message: 'x' }],
  ['group', {}],
]

const ANSWERS: PortsOptions = {
  reads: {
    quotes: { data: { ltp: 100, prev_close: 99 } },
    positionbook: { data: [{ ...SBIN, product: 'MIS', quantity: 5, pnl: 1 }] },
    funds: { data: { availablecash: '10.00' } },
  },
  http: () => ({ statusCode: 200, data: { any: ['thing'] } }),
}

/** Returns the differences between the result of a node and the outputs of its definition. */
function differences(definition: NodeDefinition | undefined, data: Body, result: Body): string[] {
  if (definition === undefined) return ['unknown type']
  return memberMisfits(result, { ...COMMON, ...(definition.outputFor?.(data) ?? definition.output) })
}

test('all nodes are here', () => {
  const types = [...STORING, ...OTHERS].map(([type]) => type)
  expect([...new Set(types)].sort()).toEqual(Object.keys(NODES).sort())
})

/** Returns the results of the storing nodes on a real service, by variable, and the failures of the run. */
async function storedOutputs(analyze: boolean) {
  const rig = await FlowRig.open({ analyze, embeddedMarket: true })
  const nodes = STORING.map(([type, data], index) => [
    `n${index}`,
    [type, { outputVariable: type, ...data }] as const,
  ])
  const wires = STORING.map((_, index) => `t -> n${index}`)
  const answer = await rig.ask('POST', '/run', graphOf(Object.fromEntries(nodes), ...wires))
  const result = linesOf(answer).at(-1) ?? {}
  return { variables: (result.variables ?? {}) as Body, failures: result.failures }
}

describe.each([
  ['live', false],
  ['analyze', true],
])('in mode %s', (_mode, analyze) => {
  test('every stored result has the members and types of its definition', async () => {
    const { variables, failures } = await storedOutputs(analyze)
    expect(failures).toEqual([])
    for (const [type, data] of STORING) {
      const name = String(data.outputVariable ?? type)
      const result = (variables[name] ?? {}) as Body
      expect([name, result.status, differences(NODES[type], data, result)]).toEqual([name, 'success', []])
    }
  })
})

test.each(OTHERS)('%s returns the members and types of its definition', async (type, data) => {
  const definition = NODES[type]
  if (definition === undefined) throw new NodeError(type)
  const ports = recordingPorts(ANSWERS)
  const run = runNode(definition, data, { ports, inputs: [true, false] })
  await ports.clock.advance(1000)
  const { result, failure } = await run
  expect(failure).toBeUndefined()
  expect(result === undefined ? [] : differences(definition, data, result)).toEqual([])
})
