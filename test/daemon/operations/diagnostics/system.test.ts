import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BROKER_PLUGINS } from '../../../../src/daemon/broker/plugins.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

/** Secrets of a configuration. None of them may leave the service. */
const CANARIES = {
  BROKER_API_KEY: 'canary-brokerkey-91x',
  BROKER_API_SECRET: 'canary-brokersecret-82y',
  BROKER_API_KEY_MARKET: 'canary-marketkey-73z',
  BROKER_API_SECRET_MARKET: 'canary-marketsecret-64w',
  REDIRECT_URL: 'https://canary-host.test/zerodha/callback',
  TELEGRAM_BOT_TOKEN: '123456789:canaryABCDEFGHIJKLMNOPQRSTUVWX',
  SVC_API_KEY: 'canary-service-key-0123456789-abcdefgh',
}

async function open(env: Record<string, string> = {}) {
  const http = await HttpDesk.open({ env })
  const headers = bearer(await http.tokenOf('admin'))
  const call = (method: string, path: string) => http.request(method, `/admin/api/system${path}`, { headers })
  return { http, call }
}

it('the snapshot has every section, and says of secrets only whether they are set', async () => {
  const { call, http } = await open({ SVC_GIT_BRANCH: 'release', SVC_GIT_COMMIT: 'abcdef0123456789' })
  const { body, status } = await call('GET', '')
  expect(status).toBe(200)
  const data = body.data as Record<string, Record<string, unknown>>
  expect(Object.keys(data)).toEqual([
    ...['mode', 'host', 'runtime', 'hardware', 'build', 'config', 'brokers', 'databases', 'time'],
  ])
  expect(data.mode).toEqual({ analyze_mode: false, label: 'LIVE' })
  expect(data.runtime).toMatchObject({ node_version: process.version, process_uptime_seconds: 0 })
  expect(data.build).toMatchObject({ git_branch: 'release', git_commit: 'abcdef012345' })
  expect(data.config?.secrets_present).toEqual({
    APP_KEY: true,
    API_KEY_PEPPER: true,
    BROKER_API_KEY: false,
    BROKER_API_SECRET: false,
    BROKER_API_KEY_MARKET: false,
    BROKER_API_SECRET_MARKET: false,
    REDIRECT_URL: false,
    'SMTP password (DB)': false,
    'Telegram bot token (DB)': false,
  })
  expect(data.config?.secret_strength).toEqual({
    'APP_KEY randomized': true,
    'API_KEY_PEPPER randomized': true,
    'FERNET_SALT per-install': true,
  })
  expect(data.config).toMatchObject({
    valid_brokers: ['simulated', ...BROKER_PLUGINS.map(({ manifest }) => manifest.id)],
    api_rate_limit: '1000000 per second',
  })
  expect(data.brokers).toMatchObject({ active_broker: 'simulated', user_logged_in: true })
  expect(data.databases).toMatchObject(
    ['svc', 'sandbox', 'logs'].map((name) => ({ name, exists: true, size_mb: expect.any(Number) })),
  )
  expect(data.time?.ist_time).toBe('2026-11-20 11:00:00 IST')
  await http.desk.service.settings.update({ analyzeMode: true, smtpPassword: 'canary-mail' })
  const changed = await call('GET', '')
  expect(changed.body.data).toMatchObject({
    mode: { analyze_mode: true, label: 'ANALYZE' },
    config: { secrets_present: { 'SMTP password (DB)': true } },
  })
  expect(changed.text).not.toContain('canary')
})

it('no secret of the configuration is in the snapshot, the probes, the report or the errors', async () => {
  const { call, http } = await open(CANARIES)
  await http.desk.service.settings.update({ smtpPassword: 'canary-mail-55v' })
  mkdirSync(join(http.desk.home, 'log'), { recursive: true })
  const leaks = Object.entries(CANARIES).map(([key, value]) => `${key} ${value}`)
  for (const leak of leaks.filter((text) => !text.startsWith('REDIRECT'))) {
    const line = { level: 'error', time: '2026-11-20T05:00:00Z', error: leak, event: 'x.y', leak }
    appendFileSync(join(http.desk.home, 'log/errors.jsonl'), `${JSON.stringify(line)}\n`)
  }
  const headers = bearer(await http.tokenOf('admin'))
  const answers = [
    await call('GET', ''),
    await call('POST', '/diagnostics'),
    await call('GET', '/report'),
    await call('GET', '/report?format=txt'),
    await http.request('GET', '/admin/api/errors', { headers }),
    await http.request('GET', '/admin/api/errors/groups', { headers }),
  ]
  for (const { status, text } of answers) {
    expect(status).toBe(200)
    expect(text).not.toContain('canary')
    expect(text).not.toContain(http.desk.service.config.APP_KEY)
    expect(text).not.toContain(http.desk.service.config.API_KEY_PEPPER)
    expect(text).not.toContain(http.desk.service.config.FERNET_SALT)
  }
  expect(answers[0]?.text).toContain('"BROKER_API_SECRET_MARKET":true')
  expect(answers[4]?.body.count).toBe(leaks.length - 1)
})

it('the probes run in order, also where nothing listens', async () => {
  const { call } = await open()
  const { body, status } = await call('POST', '/diagnostics')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ran_at: '2026-11-20 11:00:00',
    checks: [
      { id: 'database', name: 'DB read (svc.db)', ok: true, detail: 'OK' },
      { id: 'loopback', ok: false, ms: null, detail: 'Not listening' },
      { id: 'stream', ok: false, ms: null, detail: 'Not listening' },
      { id: 'broker', ok: true, ms: null, detail: 'Runs in this process' },
    ],
  })
})

it.each([
  ['', 'md', 'text/markdown', /^# svc system report\n\n- \*\*Generated:\*\* 2026-11-20 11:00:00 IST\n/],
  ['?format=txt', 'txt', 'text/plain', /^svc system report\n=+\n\n- \*\*Generated:\*\* /],
  ['?format=pdf', 'md', 'text/markdown', /^# /],
])('the report %s is a %s file', async (query, extension, type, start) => {
  const { call } = await open()
  const { headers, status, text } = await call('GET', `/report${query}`)
  expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename=svc-system-report-20261120-110000.${extension}`,
  )
  expect(text).toMatch(start)
  const sections = [...text.matchAll(/^(?:## (.+)|(.+)\n-+)$/gm)].map(([, md, txt]) => md ?? txt)
  expect(sections).toEqual([
    ...['Trading Mode', 'Host', 'Runtime', 'Hardware', 'Build', 'Configuration', 'Secrets (presence only)'],
    ...['Secret strength', 'Brokers', 'Databases', 'Time', 'Errors summary', 'Recent errors (latest first)'],
  ])
  expect(text).toContain('- **Git branch:**')
  expect(text).toContain('- BROKER_API_KEY: not set')
  expect(text).toContain('- APP_KEY: set')
})

it('the report shows the newest errors first, each on one line, without markup', async () => {
  const { call, http } = await open()
  mkdirSync(join(http.desk.home, 'log'), { recursive: true })
  const messages = ['first', '\u001b[31m# [x](http://y) <b>*\n## Forged', 'z'.repeat(900)]
  for (const error of messages) {
    const line = { level: 'error', time: '2026-11-20T05:00:00Z', error, event: 'x.y' }
    appendFileSync(join(http.desk.home, 'log/errors.jsonl'), `${JSON.stringify(line)}\n`)
  }
  const { text } = await call('GET', '/report')
  const lines = text.slice(text.indexOf('## Recent errors')).trimEnd().split('\n').slice(2)
  expect(lines).toEqual([
    `- 2026-11-20 10:30:00 **ERROR** x.y: ${'z'.repeat(500)}`,
    '- 2026-11-20 10:30:00 **ERROR** x.y: \\# \\[x\\](http://y) \\<b\\>\\*\\\\n\\#\\# Forged',
    '- 2026-11-20 10:30:00 **ERROR** x.y: first',
  ])
})

it('a signed-in page without the scope gets nothing', async () => {
  const { http } = await open()
  const headers = bearer(await http.tokenOf('read', 'settings'))
  for (const path of ['', '/report']) {
    expect((await http.request('GET', `/admin/api/system${path}`, { headers })).status).toBe(403)
  }
})

it('the token of a Telegram bot is set when it is stored, without the configuration', async () => {
  const { call, http } = await open()
  await http.desk.service.messages.settings.update({ telegramToken: CANARIES.TELEGRAM_BOT_TOKEN })
  const { body } = await call('GET', '')
  expect(body.data).toMatchObject({ config: { secrets_present: { 'Telegram bot token (DB)': true } } })
})
