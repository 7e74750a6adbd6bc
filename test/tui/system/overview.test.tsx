import { expect, it } from 'vitest'
import type { OrderRequest } from '../../../src/core/orders/schema.js'
import { eventually } from '../../support/eventually.js'
import { accessOf } from '../support/access.js'
import { openSystem, sizeOf } from './system-desk.js'

/** An order that somebody sends with another program. */
const FOREIGN: OrderRequest = {
  strategy: '',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 5,
  product: 'MIS',
  priceType: 'MARKET',
  price: 0,
  triggerPrice: 0,
  disclosedQuantity: 0,
}

it('shows modes, broker, databases, bus, backup, version and uptime', async () => {
  const { client, open } = await openSystem()
  const app = await open()
  const { version } = (await client.request('GET /status', {})).data
  await app.shows(/MODE +(LIVE|ANALYZE): orders/)
  await app.shows(/ORDER MODE +auto: orders are executed at once/)
  await app.shows(/KILL SWITCH +off/)
  await app.shows(/BROKER +simulated/)
  await app.shows(/INSTRUMENTS +\d+ /)
  await app.shows(/FEED +\S/)
  await app.shows(/DATABASES +svc \d+\.\d MB \(log \d+\.\d MB\)/)
  await app.shows(/EVENT BUS +0 waiting \(at most \d+\), 0 dropped/)
  await app.shows(/BACKUP +none/)
  await app.shows(`svc ${version}, up `)
  expect(sizeOf(app.screen())).toMatchObject({ lines: expect.toSatisfy((lines: number) => lines <= 21) })
  expect(sizeOf(app.screen()).widest).toBeLessThanOrEqual(80)
  await app.press('G')
  await app.shows(/LOG FOLDER +\S/)
  await app.shows(/VERSION +\S/)
})

it('shows what the account holds beside the journal, live', async () => {
  const { http, open } = await openSystem()
  const { desk } = http
  const app = await open()
  await app.shows(/NOT FROM HERE +nothing/)
  await desk.settled(desk.service.brokers.client().orders.place(FOREIGN, 'app'))
  await eventually(async () => {
    await desk.clock.advance(2_000)
    await desk.settled(desk.service.openOrders.compareIfDue())
    return app.screen().includes('1 order, NSE:SBIN MIS +5')
  })
  await app.shows(/NOT FROM HERE +1 order, NSE:SBIN MIS \+5/)
})

it('follows the kill switch', async () => {
  const { client, open } = await openSystem()
  const app = await open()
  await app.shows(/KILL SWITCH +off/)
  await client.request('POST /risk/kill-switch', { body: { on: true, reason: 'a test' } })
  await app.shows(/KILL SWITCH +ON: no new order is sent/)
})

it('leaves out what a token may not read', async () => {
  const desk = await openSystem()
  const app = await desk.open('overview', await accessOf(desk, 'read'))
  await app.shows(/MODE +\w+: orders/)
  await app.press('G')
  await app.shows('ADDRESS')
  expect(app.screen()).not.toContain('LOG FOLDER')
})

it('says why nothing is shown', async () => {
  const desk = await openSystem()
  const app = await desk.open('overview', await accessOf(desk, 'orders'))
  await app.shows(/read/)
  expect(app.screen()).not.toContain('Reading')
})

it('risk shows the limits, and who turned the kill switch on', async () => {
  const { client, open } = await openSystem()
  await client.request('PUT /risk', { body: { max_order_value: 500_000, allowed_exchanges: ['NSE', 'NFO'] } })
  const app = await open('risk')
  await app.shows(/MAX ORDER VALUE +5,00,000/)
  await app.shows(/ALLOWED EXCHANGES/)
  await app.shows(/KILL SWITCH +off/)
  await client.request('POST /risk/kill-switch', { body: { on: true, reason: 'bad \u001b[31mfeed' } })
  await app.shows(/KILL SWITCH +ON: bad \\u001b\[31mfeed/)
  await app.shows(/KILL SWITCH BY +asha, since 2026/)
})
