import { describe, expect, test } from 'vitest'
import type { NodeDefinition } from '../../../../src/core/flows/nodes/definition.js'
import { TRIGGER_NODES } from '../../../../src/core/flows/nodes/triggers.js'
import { runNode } from '../support.js'

function node(type: string): NodeDefinition {
  const found = TRIGGER_NODES.find((definition) => definition.type === type)
  if (!found) throw new Error(`no node ${type}`)
  return found
}

test.each([
  ['start', 'Workflow started'],
  ['webhookTrigger', 'Webhook trigger activated'],
  ['orderUpdateTrigger', 'Order-update trigger activated'],
])('%s only logs its start', async (type, message) => {
  const { result, logs } = await runNode(node(type), { symbol: 'SBIN' })
  expect(result).toBeUndefined()
  expect(logs).toEqual([{ level: 'info', message }])
})

test.each<[string, Record<string, unknown>, string]>([
  ['start', { scheduleType: 'weekly' }, 'invalid_schedule'],
  ['priceAlert', { condition: 'roughly' }, 'unknown_condition'],
  ['orderUpdateTrigger', {}, 'missing_required_field'],
])('%s can be stored incomplete, but not run', (type, data, code) => {
  expect(node(type).check?.(data, false)).toEqual([])
  expect(node(type).check?.(data, true)).toMatchObject([{ code }])
})

test('a webhook and a complete start have no problems', () => {
  expect(node('webhookTrigger').check).toBeUndefined()
  expect(node('start').check?.({ scheduleType: 'daily', time: '10:15' }, true)).toEqual([])
})

describe('a price alert', () => {
  const data = { symbol: 'RELIANCE', exchange: 'NSE', condition: 'crosses_below', price: '2850' }
  const quotes = (ltp: unknown) => ({ reads: { quotes: { data: { ltp } } } })

  test('fired by the monitor holds at its price, without a request', async () => {
    const { result, ports } = await runNode(node('priceAlert'), data, {
      variables: { webhook: { trigger_type: 'price_alert', trigger_price: 2849.5 } },
    })
    expect(result).toEqual({ status: 'success', condition: true, ltp: 2849.5, condition_met: true })
    expect(ports.asked).toEqual([])
  })

  test.each([
    [2849, true],
    [2851, false],
  ])('in a manual run at %d: %j', async (ltp, met) => {
    const { result, ports } = await runNode(node('priceAlert'), data, quotes(ltp))
    expect(result).toEqual({ status: 'success', condition: met, ltp, condition_met: met })
    expect(ports.asked).toEqual([{ call: 'quotes', body: { symbol: 'RELIANCE', exchange: 'NSE' } }])
  })

  test('in a webhook run requests the price', async () => {
    const { result } = await runNode(node('priceAlert'), data, {
      ...quotes(2900),
      variables: { webhook: { trigger_price: 1 } },
    })
    expect(result).toMatchObject({ condition: false, ltp: 2900 })
  })

  test.each<[string, Record<string, unknown>, Parameters<typeof runNode>[2], string]>([
    ['a failed quote', data, { reads: { quotes: { status: 'error', message: 'No broker' } } }, 'No broker'],
    ['a quote without price', data, quotes(0), 'No price for RELIANCE on NSE'],
    ['no symbol', { ...data, symbol: '' }, {}, 'symbol is required'],
    ['an unknown condition', { ...data, condition: 'roughly' }, {}, 'Unknown price alert condition: roughly'],
    [
      'a move',
      { ...data, condition: 'moving_up' },
      quotes(2900),
      'moving_up needs the previous tick, which only the price monitor has; start the workflow by its alert',
    ],
  ])('with %s takes neither branch', async (_name, saved, options, message) => {
    const { result } = await runNode(node('priceAlert'), saved, options)
    expect(result).toMatchObject({ status: 'error', condition: false, message })
  })
})
