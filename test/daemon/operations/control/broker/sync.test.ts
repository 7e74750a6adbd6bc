import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { INSTRUMENTS } from '../../../../core/brokers/simulated/support.js'
import { bearer, HttpDesk } from '../../../../support/desk/http-desk.js'

const HEADER =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange'
const dump = [HEADER, '1,1,SBIN,STATE BANK,0,,0,0.05,1,EQ,NSE,NSE'].join('\n')

async function open() {
  const http = await HttpDesk.open()
  const headers = { ...bearer(await http.tokenOf('admin')), 'content-type': 'text/csv' }
  const sync = (query: string) => http.request('POST', `/broker/sync${query}`, { text: dump, headers })
  return { http, sync }
}

describe('a dump much smaller than the loaded master', () => {
  test('is refused with the counts of each exchange, and loaded by force', async () => {
    const { http, sync } = await open()
    const { directory } = http.desk.service.instruments
    const before = directory.countByExchange()
    const { status, code, body } = await sync('?format=kite')
    expect([status, code, directory.countByExchange()]).toEqual([409, 'conflict', before])
    expect(body.exchanges).toContainEqual({ exchange: 'NFO', loaded: before.NFO, offered: 0 })
    expect(body.message).toContain(`NFO ${before.NFO} → 0`)
    expect(await sync('?force=true')).toMatchObject({ status: 200, body: { data: { count: 1 } } })
    expect(directory.countByExchange()).toEqual({ NSE: 1 })
  })

  test('is forced by nothing but true', async () => {
    const { sync } = await open()
    expect(await sync('?force=yes')).toMatchObject({
      status: 400,
      body: { message: 'force: Must be one of: true, false.' },
    })
  })
})

test('a dump in a format that no broker reads is refused with those that one reads', async () => {
  const { sync } = await open()
  expect(await sync('?format=constructor')).toMatchObject({
    status: 400,
    body: { message: 'format: Must be one of: kite.' },
  })
})

test('a dump of another broker is refused at a broker with a list of its own: its tokens mean other contracts', async () => {
  const { http } = await open()
  const { brokers } = http.desk.service
  await brokers.use('zerodha')
  expect(brokers.dumpParser('kite')).toBe(brokers.dumpParser())
  const other = http.request('POST', '/broker/sync?format=other', {
    text: dump,
    headers: { ...bearer(await http.tokenOf('admin')), 'content-type': 'text/csv' },
  })
  expect(await other).toMatchObject({ status: 400, body: { message: 'format: Must be one of: kite.' } })
})

test('a download that the broker refuses is answered in its words and with its status', async () => {
  const { http } = await open()
  http.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['instruments'], kind: 'fail', httpStatus: 503, message: 'No master before eight' }])
  const headers = bearer(await http.tokenOf('admin'))
  expect(await http.request('POST', '/broker/sync', { headers })).toMatchObject({
    status: 503,
    code: 'unavailable',
    body: { status: 'error', message: 'No master before eight' },
  })
})

describe('a download much smaller than the loaded master', () => {
  async function shrunken() {
    const { http } = await open()
    const { service } = http.desk
    const headers = bearer(await http.tokenOf('admin'))
    await service.brokers.use('zerodha')
    await service.instruments.replace('zerodha', 'broker', [[...INSTRUMENTS]])
    const download = vi
      .spyOn(service.brokers.plugin().instruments, 'download')
      .mockImplementation(async function* () {
        yield INSTRUMENTS.slice(0, 1)
      })
    onTestFinished(() => download.mockRestore())
    const sync = (query: string) => http.request('POST', `/broker/sync${query}`, { headers })
    return { desk: http.desk, service, sync, before: service.instruments.directory.countByExchange() }
  }

  test('is refused, and loaded by force', async () => {
    const { service, sync, before } = await shrunken()
    const { status, code, body } = await sync('')
    expect([status, code, service.instruments.directory.countByExchange()]).toEqual([409, 'conflict', before])
    expect(body.message).toMatch(/^The broker's download lists fewer than half/)
    expect(await sync('?force=maybe')).toMatchObject({ status: 400 })
    expect(await sync('?force=true')).toMatchObject({ status: 200, body: { data: { count: 1 } } })
  })

  test('of the daily refresh keeps the current instruments and is logged', async () => {
    const { desk, service, before } = await shrunken()
    vi.spyOn(service.brokers, 'connected').mockReturnValue(true)
    // After midnight, the instruments count as those of an earlier day.
    await desk.clock.advance(14 * 3_600_000)
    expect(service.instruments.directory.countByExchange()).toEqual(before)
    expect(service.instruments.status().record?.lastError).toMatch(/fewer than half/)
  })
})
