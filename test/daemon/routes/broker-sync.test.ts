import { describe, expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../support/http-desk.js'

const HEADER =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange'
const dump = [HEADER, '1,1,SBIN,STATE BANK,0,,0,0.05,1,EQ,NSE,NSE'].join('\n')

async function open() {
  const http = await HttpDesk.open()
  const headers = { ...bearer(await http.tokenOf('admin')), 'content-type': 'text/csv' }
  const sync = (query: string) => http.request('POST', `/broker/sync${query}`, { text: dump, headers })
  return { http, sync }
}

describe('a dump much smaller than what is loaded', () => {
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
