import { expect, it } from 'vitest'
import { accessOf } from '../support/access.js'
import { openSystem, sizeOf } from './system-desk.js'

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
