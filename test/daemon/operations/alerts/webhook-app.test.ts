import { afterEach, expect, test, vi } from 'vitest'
import { HttpDesk } from '../../../support/desk/http-desk.js'

const TOKEN = `svc_hook_${'Zm9v'.repeat(10)}YmE`
const PATH = `/strategy/webhook/${TOKEN}`
const PROXIED = { TRUST_PROXY_HEADERS: 'true' }
const from = (address: string) => ({ headers: { 'x-real-ip': address } })

afterEach(() => vi.restoreAllMocks())

async function auditOf({ desk }: HttpDesk): Promise<number> {
  const [row] = await desk.service.databases.svc.queryRaw('select count(*) as n from strategy_webhook_events')
  return Number(row?.n)
}

test('calls are limited by address, before the body is read and without a row of the audit', async () => {
  const http = await HttpDesk.open({ env: { ...PROXIED, WEBHOOK_RATE_LIMIT: '3 per minute' } })
  for (const path of [PATH, `${PATH}/chartink`, `${PATH}x`]) {
    expect((await http.request('POST', path, { body: {}, ...from('192.0.2.1') })).status).toBe(404)
  }
  const raw = new Uint8Array(2_000_000)
  const refused = await http.request('POST', `${PATH}/tradingview`, { text: raw, ...from('192.0.2.1') })
  expect(refused).toMatchObject({
    status: 429,
    code: 'rate_limited',
    body: {
      status: 'error',
      result: 'rate_limited',
      message: 'Rate limit exceeded. Please slow down your requests.',
      retry_after: 60,
    },
  })
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(await auditOf(http)).toBe(3)
  expect(
    (await http.request('POST', `/strategy/webhook/other`, { body: {}, ...from('192.0.2.2') })).status,
  ).toBe(404)
  await http.desk.clock.advance(60_000)
  expect((await http.request('POST', PATH, { body: {}, ...from('192.0.2.1') })).status).toBe(404)
})

test('calls with one token are limited from any number of addresses, and another token is not', async () => {
  const http = await HttpDesk.open({ env: { ...PROXIED, WEBHOOK_RATE_LIMIT: '3 per minute' } })
  const call = (path: string, host: number) =>
    http.request('POST', path, { body: {}, ...from(`192.0.2.${host}`) })
  for (let host = 1; host <= 3; host++) expect((await call(PATH, host)).status).toBe(404)
  expect(await call(`${PATH}/tradingview`, 4)).toMatchObject({
    status: 429,
    body: { result: 'rate_limited' },
  })
  expect((await call('/strategy/webhook/svc_hook_another', 4)).status).toBe(404)
})

test('a wrong token is no missing path: many of them ban nobody', async () => {
  const env = { ...PROXIED, WEBHOOK_RATE_LIMIT: '1000 per minute' }
  const http = await HttpDesk.open({ env })
  const { security } = http.desk.service
  const missing = vi.spyOn(security, 'addMissingPath')
  for (let call = 0; call < 150; call++) {
    const path = call % 2 ? `${PATH}${call}` : `${PATH}/form${call}`
    await http.request('POST', path, { body: {}, ...from('192.0.2.1') })
  }
  expect(missing).not.toHaveBeenCalled()
  expect(security.bans.active()).toEqual([])
})

test('no token stays in the traffic log, the application log or a refusal', async () => {
  const http = await HttpDesk.open({ env: { WEBHOOK_RATE_LIMIT: '100 per minute' } })
  const { port } = await http.listen()
  const lines: string[] = []
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    vi.spyOn(http.desk.service.log, level).mockImplementation((event, fields) => {
      lines.push(JSON.stringify({ event, fields }))
    })
  }
  const answers: string[] = []
  for (const path of [
    PATH,
    `${PATH}/chartink`,
    `${PATH}/form`,
    `${PATH}/chartink/more`,
    `/%73trategy/webhook/${TOKEN}`,
  ]) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}' })
    answers.push(await response.text())
  }
  await http.desk.service.traffic.flush()
  const rows = await http.desk.service.databases.logs.queryRaw('select * from traffic_logs')
  expect(rows.length).toBeGreaterThanOrEqual(5)
  for (const text of [...lines, ...rows.map((row) => JSON.stringify(row))])
    expect(text).not.toContain(TOKEN.slice(9, 30))
  expect(answers.slice(0, 3).join()).not.toContain(TOKEN)
})
