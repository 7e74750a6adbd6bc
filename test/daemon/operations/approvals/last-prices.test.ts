import { expect, test } from 'vitest'
import { lastPrices } from '../../../../src/daemon/operations/approvals/last-prices.js'
import { TestDesk } from '../../../support/desk/desk.js'

test('last prices are requested once per symbol, leave out unknown symbols, and never fail a list', async () => {
  const desk = await TestDesk.open()
  const sbin = { symbol: 'SBIN', exchange: 'NSE' }
  const prices = await lastPrices(desk.service, [
    sbin,
    sbin,
    { symbol: 'Basket (3 orders)', exchange: 'Multiple' },
  ])
  expect([...prices.keys()]).toEqual(['NSE:SBIN'])
  expect(prices.get('NSE:SBIN')).toBeGreaterThan(0)
  await desk.service.brokers.logout()
  expect(await lastPrices(desk.service, [sbin])).toEqual(new Map())
})
