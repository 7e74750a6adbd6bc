import { closeSync, openSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const SAMPLE_MS = 10_000

async function open(env: Record<string, string> = {}) {
  const http = await HttpDesk.open({ env })
  const admin = bearer(await http.tokenOf('admin'))
  const get = (path: string) => http.request('GET', path, { headers: admin })
  const post = (path: string) => http.request('POST', path, { headers: admin })
  const alerts = async () => JSON.parse((await get('/health/api/alerts')).text)
  const sample = async () => {
    await http.desk.clock.advance(SAMPLE_MS)
    await http.daemon.health.sample()
  }
  return { http, get, post, alerts, sample }
}

/** Opens so many files, and returns the function that closes them. */
function openFiles(count: number): () => void {
  const files = Array.from({ length: count }, () => openSync('/dev/null', 'r'))
  return () => {
    for (const file of files) closeSync(file)
  }
}

it('an alert opens above the threshold, is acknowledged, and closes by itself', async () => {
  const threshold = readdirSync('/proc/self/fd').length + 200
  const { alerts, http, post, sample } = await open({ HEALTH_FD_WARNING_THRESHOLD: String(threshold) })
  await sample()
  const ofFiles = async () =>
    (await alerts()).filter(({ alert_type: type }: { alert_type: string }) => type === 'fd_warn')
  expect(await ofFiles()).toEqual([])
  const close = openFiles(400)
  await sample()
  const [alert] = await ofFiles()
  expect(alert).toMatchObject({ severity: 'warn', threshold_value: threshold, acknowledged: false })
  expect((await post(`/health/api/alerts/${alert.id}/acknowledge`)).status).toBe(200)
  expect(await ofFiles()).toMatchObject([{ id: alert.id, acknowledged: true, resolved: false }])
  expect((await http.request('GET', '/health/status')).body.status).toBe('warn')
  close()
  await sample()
  expect(await ofFiles()).toEqual([])
})

const NO_IDS = ['0', '-1', '1.5', 'none', '999999', '9'.repeat(40), '__proto__', '%00'] as const

it('an alert that does not exist is not found', async () => {
  const { post } = await open()
  for (const id of NO_IDS) {
    for (const act of ['acknowledge', 'resolve']) {
      expect((await post(`/health/api/alerts/${id}/${act}`)).status, `${act} ${id}`).toBe(404)
    }
  }
})

it('the check probes each database and names no path', async () => {
  const { http, sample } = await open()
  await sample()
  const reply = await http.request('GET', '/health/check')
  expect(reply.status).toBe(200)
  expect(reply.body).toMatchObject({
    serviceId: 'svc',
    checks: {
      'database:connectivity': ['svc', 'sandbox', 'logs'].map((componentId) => ({
        componentId,
        status: 'pass',
      })),
    },
  })
  expect(reply.text).not.toContain(http.desk.home)
  http.daemon.setReady(false)
  const stopping = await http.request('GET', '/health/check')
  expect([stopping.status, stopping.body.status]).toEqual([503, 'fail'])
})

it('/health/status answers 300 calls a minute', async () => {
  const { http } = await open()
  for (let call = 0; call < 300; call++) {
    expect((await http.request('GET', '/health/status')).status).toBe(200)
  }
  expect((await http.request('GET', '/health/status')).status).toBe(429)
  await http.desk.clock.advance(60_000)
  expect((await http.request('GET', '/health/status')).status).toBe(200)
})

it('the export holds the samples of its hours, oldest first', async () => {
  const { get, http, sample } = await open()
  await sample()
  await http.desk.clock.advance(2 * 3_600_000)
  await sample()
  await sample()
  const day = await get('/health/export')
  expect(day.headers.get('content-type')).toContain('text/csv')
  const lines = day.text.trim().split(/\r?\n/)
  expect(lines[0]).toMatch(/^Date & Time \(IST\),FD Count,/)
  expect(lines).toHaveLength(4)
  expect(lines[1]).toMatch(/^20-11-2026 11:00:10/)
  expect((await get('/health/export?hours=1')).text.trim().split(/\r?\n/)).toHaveLength(3)
  for (const hours of ['0', '169', '1.5', 'x', '-1']) {
    expect((await get(`/health/export?hours=${hours}`)).status).toBe(400)
  }
})
