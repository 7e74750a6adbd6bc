import { expect, test } from 'vitest'
import { HttpDesk } from '../support/http-desk.js'

const DELIVERY = { symbol: 'SBIN', exchange: 'NSE', product: 'CNC', quantity: 10 }

async function open(mode: 'live' | 'analyze') {
  const http = await HttpDesk.open()
  await http.desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const post = async (path: string, fields: object) => {
    const body = { apikey: http.apikey, strategy: 't', ...fields }
    return (await http.desk.settled(http.request('POST', `/api/v1/${path}`, { body }))).body
  }
  return { http, post, close: () => post('closeposition', {}) }
}

test.each(['live', 'analyze'] as const)('a close counts, also when nothing is open (%s)', async (mode) => {
  const { post, close } = await open(mode)
  expect(await close()).toMatchObject({ status: 'success', closed_positions: 0, failed_closures: 0 })
  await post('placeorder', { ...DELIVERY, product: 'MIS', action: 'BUY' })
  expect(await close()).toMatchObject({ status: 'success', closed_positions: 1, failed_closures: 0 })
})

test('a close beside a delivery sale that waits says why the position stays open', async () => {
  const { post, close } = await open('analyze')
  await post('placeorder', { ...DELIVERY, action: 'BUY' })
  await post('placeorder', { ...DELIVERY, action: 'SELL', pricetype: 'LIMIT', price: 5000 })
  expect(await close()).toMatchObject({
    message: 'Closed 0 positions (Failed to close 1 positions)',
    closed_positions: 0,
    failed_closures: 1,
    results: [
      {
        symbol: 'SBIN',
        exchange: 'NSE',
        product: 'CNC',
        status: 'error',
        message: expect.stringContaining('Pending sells: 10'),
      },
    ],
  })
})
test.each(['live', 'analyze'] as const)('a blank strategy is taken (%s)', async (mode) => {
  const { post } = await open(mode)
  const order = { ...DELIVERY, strategy: '', action: 'BUY' }
  expect(await post('placeorder', order)).toMatchObject({ status: 'success' })
  expect(await post('closeposition', { strategy: '' })).toMatchObject({
    status: 'success',
    closed_positions: 1,
  })
})
