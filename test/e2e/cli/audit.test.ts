import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { eventually } from '../../support/eventually.js'
import { execute, query } from '../../support/files/files.js'
import { USERNAME } from '../../support/process/daemon-process.js'
import { Terminal } from '../../support/terminal.js'

/* The audit trail with the built program. The last part stops the daemon. */
const desk = commandDesk()

interface Act {
  id: number
  at: string
  act: string
  actor: string
  credential: string
  target: string | null
  outcome: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  mac?: string
}

interface Check {
  ok: boolean
  checked: number
  last: number
  head: string
  problem: { kind: string; id: number; message: string } | null
}

const acts = (options = '') => desk.terminal.json<Act[]>(`audit list --limit 1000 ${options}`)
const idsOf = (rows: readonly Act[]) => rows.map(({ id }) => id)

beforeAll(async () => {
  for (const value of [1_000_000, 2_000_000])
    await desk.daemon.request('PUT', '/risk', { max_order_value: value })
  await desk.daemon.place()
  // Orders appear a few seconds after they were placed.
  const recorded = `select 1 from audit_entries where act = 'order.place'`
  await eventually(async () => (await query(join(desk.daemon.home, 'svc.db'), recorded)).length === 1)
})

describe('svc audit list', () => {
  it('shows each act with its actor, and with --json the values before and after it', async () => {
    const [first, second] = await acts('--act risk.set')
    expect(first).toMatchObject({ actor: USERNAME, credential: 'session', outcome: 'done' })
    expect(first?.after).toEqual({ max_order_value: 1_000_000 })
    expect([second?.before, second?.after]).toEqual([
      { max_order_value: 1_000_000 },
      { max_order_value: 2_000_000 },
    ])
    expect(await acts('--act order')).toMatchObject([
      { act: 'order.place', actor: USERNAME, credential: 'api_key', after: { mode: 'analyze' } },
    ])
    const { exit, stdout } = await desk.terminal.svc('audit list', { tty: 'stdout' })
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/TIME.*ACT.*ACTOR[\s\S]*risk\.set/)])
  })

  it('chooses by group, actor, text, time and number, the oldest first', async () => {
    const all = await acts()
    expect(idsOf(all)).toEqual(all.map((_, index) => index + 1))
    expect(idsOf(await acts('--act risk'))).toEqual(idsOf(await acts('--act risk.set')))
    expect(await acts('--act ris')).toEqual([])
    expect((await acts('--actor svc')).map(({ act }) => act)).toContain('service.start')
    expect(await acts('--actor svc --act risk')).toEqual([])
    expect((await acts('--search MAX_ORDER_VALUE":2000000}')).map(({ act }) => act)).toEqual(['risk.set'])
    expect(await acts('--until 2020-01-01')).toEqual([])
    expect(idsOf(await desk.terminal.json<Act[]>('audit list --limit 2'))).toEqual(idsOf(all.slice(-2)))
  })

  it.each([
    ['audit list --limit 0', '--limit'],
    ['audit list --since yesteryear', '--since'],
    ['audit export --format xml', 'csv'],
    ['audit verify --head nonsense', '--head'],
    ['audit verify --head nonsense --file svc.db', '--head'],
  ])('svc %s is refused', async (line, says) => {
    const { exit, stderr } = await desk.terminal.svc(line)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(says)])
  })
})

describe('svc audit export', () => {
  it('writes the rows with their seals, as CSV and as JSON lines', async () => {
    const stored = await query(join(desk.daemon.home, 'svc.db'), 'select seq, mac from audit_entries')
    const sealOf = new Map(stored.map(({ seq, mac }) => [seq, mac]))
    const csv = (await desk.terminal.svc('audit export --act risk')).stdout.trim().split('\n')
    expect(csv[0]).toMatch(/^id,at,act,actor,.*,mac\s*$/)
    expect(csv).toHaveLength(3)

    const file = join(desk.terminal.home, 'audit.jsonl')
    const saved = await desk.terminal.svc(['audit', 'export', '--format', 'jsonl', '--file', file])
    expect([saved.exit, saved.stderr]).toEqual([0, `Written to ${file}.\n`])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    const rows = lines.map((line): Act => JSON.parse(line))
    expect(idsOf(rows)).toEqual(rows.map((_, index) => index + 1))
    for (const { id, mac } of rows) expect([id, mac]).toEqual([id, sealOf.get(id)])
    for (const line of csv.slice(1)) {
      const id = Number(line.split(',')[0])
      expect(line).toContain(String(sealOf.get(id)))
    }
    const again = await desk.terminal.svc(['audit', 'export', '--file', file])
    expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining('it exists')])
  })
})

describe('svc audit verify', () => {
  it('ends with 0 for a whole trail, and with a head that is in it', async () => {
    const { head, ...check } = await desk.terminal.json<Check>('audit verify')
    expect(check).toMatchObject({ ok: true, problem: null })
    expect(check.checked).toBe(check.last)
    expect((await desk.terminal.svc(['audit', 'verify', '--head', head])).exit).toBe(0)
    const other = await desk.terminal.svc(['audit', 'verify', '--head', `1:${'x'.repeat(43)}`])
    expect([other.exit, other.stderr]).toEqual([1, expect.stringContaining('head of row 1')])
  })

  it('checks a copy without a daemon, and names the first row that was changed', async () => {
    const { daemon } = desk
    await daemon.signal('SIGTERM')
    const offline = new Terminal({ home: daemon.home })
    const copy = join(desk.terminal.home, 'copy.db')
    const restore = () => copyFileSync(join(daemon.home, 'svc.db'), copy)
    const verify = (...options: string[]) => offline.svc(['audit', 'verify', '--file', copy, ...options])
    restore()
    const whole = await verify()
    expect([whole.exit, whole.stderr]).toEqual([0, ''])

    // Bytes of two values, found in the file itself.
    const bytes = readFileSync(copy)
    const value = bytes.indexOf('{"max_order_value":2000000}')
    expect(value).toBeGreaterThan(0)
    bytes.write('9', value + '{"max_order_value":'.length)
    writeFileSync(copy, bytes)
    const [row] = await query(copy, `select seq from audit_entries where after like '%:9000000}%'`)
    const changed = await verify()
    expect([changed.exit, changed.stderr]).toEqual([
      1,
      `The trail is broken. Row ${row?.seq} was altered, or is not in its place.\n`,
    ])
    const { problem }: Check = JSON.parse((await verify('--json')).stdout)
    expect(problem).toMatchObject({ kind: 'altered', id: row?.seq })

    restore()
    await execute(copy, 'delete from audit_entries where seq = 2')
    expect((await verify()).stderr).toContain('Row 2 is missing.')
  })

  it('says what is wrong when the file or the keys are not those of the trail', async () => {
    const { daemon } = desk
    const copy = join(desk.terminal.home, 'whole.db')
    copyFileSync(join(daemon.home, 'svc.db'), copy)
    const from = (home: string, file: string) =>
      new Terminal({ home }).svc(['audit', 'verify', '--file', file])

    const other = join(desk.terminal.home, 'other-home')
    mkdirSync(other)
    const without = await from(other, copy)
    expect([without.exit, without.stderr]).toEqual([4, expect.stringContaining('has no config.env')])
    const config = readFileSync(join(daemon.home, 'config.env'), 'utf8')
    const changed = config.replace(/^(APP_KEY=)(.*)$/m, (_, name, key) => name + [...key].reverse().join(''))
    expect(changed).not.toBe(config)
    writeFileSync(join(other, 'config.env'), changed, { mode: 0o600 })
    const wrong = await from(other, copy)
    expect([wrong.exit, wrong.stderr]).toEqual([1, expect.stringContaining('belongs to another APP_KEY')])

    const missing = await from(daemon.home, join(other, 'none.db'))
    expect([missing.exit, missing.stderr]).toEqual([4, expect.stringContaining('does not exist')])
    const noDatabase = await from(daemon.home, join(daemon.home, 'config.env'))
    expect([noDatabase.exit, noDatabase.stderr]).toEqual([5, expect.stringContaining('is damaged')])
    const noTrail = await from(daemon.home, join(daemon.home, 'sandbox.db'))
    expect([noTrail.exit, noTrail.stderr]).toEqual([5, expect.stringContaining('has no table')])
  })
})
