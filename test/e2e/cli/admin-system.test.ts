import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* The commands about errors and the state of the daemon, with the built program. */

/** Secrets in the environment of the daemon. None of them may leave it. */
const CANARIES = {
  BROKER_API_KEY: 'canary-brokerkey-91x',
  BROKER_API_SECRET: 'canary-brokersecret-82y',
  BROKER_API_KEY_MARKET: 'canary-marketkey-73z',
  BROKER_API_SECRET_MARKET: 'canary-marketsecret-64w',
  REDIRECT_URL: 'https://canary-host.test/zerodha/callback',
  TELEGRAM_BOT_TOKEN: '123456789:canaryABCDEFGHIJKLMNOPQRSTUVWX',
  SVC_API_KEY: 'canary-service-key-0123456789-abcdefgh',
  CANARY_FOREIGN: 'canary-foreign-variable',
}

const desk = commandDesk(CANARIES)

const report = (body: object) => desk.daemon.request('POST', '/admin/api/errors/client', body)

it('a page reports an error, and the commands show it without its secrets', async () => {
  const { daemon, terminal } = desk
  const leaks = Object.entries(CANARIES).filter(([key]) => /KEY|SECRET|TOKEN/.test(key))
  for (const [, value] of leaks) {
    const answer = await report({
      message: `\u001b[31mbroken with ${value}\n{"forged":1}`,
      stack: `Error: broken\n    at ${value} (https://x/?apikey=${daemon.apikey})\nBearer ${daemon.token}`,
      url: `https://x/webhook/${value}?token=${daemon.token}`,
    })
    expect(answer.status).toBe(200)
  }
  const rows = await terminal.json<{ logger: string; message: string }[]>('admin errors')
  expect(rows).toHaveLength(leaks.length)
  expect(rows[0]?.message).toContain('[CLIENT] broken with [redacted]')
  const [group] = await terminal.json<{ count: number; logger: string }[]>('admin errors groups')
  expect(group).toMatchObject({ count: leaks.length, logger: 'client.browser' })
  expect(await terminal.json('admin errors stats')).toMatchObject({
    total: leaks.length,
    last_1h: leaks.length,
  })
  expect(await terminal.json('admin errors list --search nothing-has-this')).toEqual([])
  expect(await terminal.json('admin errors --level CRITICAL')).toEqual([])
})

it('no secret of the environment is in any of the answers, or in the error log', async () => {
  const { daemon, terminal } = desk
  const lines = [
    ...['admin system', 'admin system --json', 'admin diagnostics --json', 'admin errors --json'],
    ...['admin errors groups --json', 'admin report', 'admin report --format txt', 'doctor --json'],
  ]
  const outputs = await Promise.all(lines.map((line) => terminal.svc(line)))
  const config = readFileSync(join(daemon.home, 'config.env'), 'utf8')
  const generated = [...config.matchAll(/=([0-9a-f]{32,})/g)].map(([, value]) => value ?? '')
  expect(generated).toHaveLength(3)
  const texts = [
    ...outputs.map(({ stdout }) => stdout),
    readFileSync(join(daemon.home, 'log/errors.jsonl'), 'utf8'),
  ]
  for (const text of texts) {
    expect(text.length).toBeGreaterThan(100)
    expect(text).not.toContain('canary')
    for (const secret of [...generated, daemon.apikey, daemon.token]) expect(text).not.toContain(secret)
  }
  expect(await terminal.json('admin system')).toMatchObject({
    config: { secrets_present: { BROKER_API_KEY: true, BROKER_API_SECRET_MARKET: true, REDIRECT_URL: true } },
  })
})

describe('the probes', () => {
  it('all succeed on a daemon that runs, and svc doctor runs the same ones', async () => {
    const { terminal } = desk
    const checks =
      await terminal.json<{ id: string; ok: boolean; ms: number; detail: string }[]>('admin diagnostics')
    expect(checks.map(({ detail, id, ok }) => [id, ok, detail])).toEqual([
      ['database', true, 'OK'],
      ['loopback', true, 'Answers (direct)'],
      ['stream', true, 'TCP connect OK'],
      ['broker', true, 'Runs in this process'],
    ])
    const rows = await terminal.json<{ check: string; status: string; detail: string }[]>('doctor')
    const probes = rows.filter(({ check }) => ['database', 'http', 'stream', 'broker host'].includes(check))
    expect(probes.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(probes[1]?.detail).toMatch(/^Loopback HTTP: Answers \(direct\), [\d.]+ ms$/)
  })

  it('may run ten times a minute', async () => {
    const ran = []
    for (let n = 0; n < 11; n++) ran.push(await desk.daemon.request('POST', '/admin/api/system/diagnostics'))
    expect(ran.at(-1)?.status).toBe(429)
    const { exit, stderr } = await desk.terminal.svc('admin diagnostics')
    expect([exit, stderr]).toEqual([6, expect.stringContaining('Rate limit exceeded')])
  })
})

it('the report is written to a new file for its owner only', async () => {
  const { daemon, terminal } = desk
  const path = join(daemon.home, 'report.md')
  expect((await terminal.svc(['admin', 'report', '--file', path])).exit).toBe(0)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toMatch(/^# svc system report\n/)
  const again = await terminal.svc(['admin', 'report', '--file', path])
  expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining('it exists')])
  expect(existsSync(path)).toBe(true)
})

it.each([
  ['admin errors --limit 0', 2, '--limit'],
  ['admin errors --level loud', 2, 'ERROR'],
  ['admin errors groups --limit 201', 2, '--limit'],
  ['admin report --format pdf', 2, 'md'],
  ['admin nothing', 2, 'nothing'],
])('svc %s is refused', async (line, exit, says) => {
  const ran = await desk.terminal.svc(line)
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(says)])
})

it('a health sample fits 80 columns, and its document has every measure', async () => {
  const { terminal } = desk
  const { stdout } = await terminal.svc('admin health', { tty: 'stdout', env: { NO_COLOR: '1' } })
  expect(stdout).toMatch(/MEMORY +(pass|warn|fail): \d/)
  expect(stdout.split('\n').filter((line) => line.trimEnd().length > 80)).toEqual([])
  const sample = await terminal.json<object>('admin health')
  expect(sample).toMatchObject({
    memory: { status: expect.any(String) },
    database: { total: expect.any(Number) },
  })
  expect(Object.keys(sample).filter((key) => key.endsWith('_text'))).toEqual([])
})

it('a command that reads a file stops at the limit of its size', async () => {
  const { terminal } = desk
  const upload = await terminal.svc('admin freeze upload CDS /dev/zero --yes')
  expect([upload.exit, upload.stderr]).toEqual([
    2,
    expect.stringContaining('/dev/zero is larger than 64 MiB'),
  ])
  const flow = await terminal.svc('flow validate /dev/zero')
  expect(flow.exit).not.toBe(0)
  expect(flow.stdout + flow.stderr).toContain('2 MiB')
})
