import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { csvRecords } from '../../../src/core/csv/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { commandDesk } from '../../support/desk/command-desk.js'
import { foldLog } from '../../support/files/files.js'
import { tempDir } from '../../support/files/temp.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'

const ROWS = 40_000
/** The last millisecond of an Indian day, and the first of the next one. */
const MIDNIGHT = Date.parse('2026-11-20T00:00:00+05:30')

/** A daemon far from India, whose order log has many rows: half of them of each of two Indian days. */
async function withManyRows(env: Record<string, string>): Promise<DaemonProcess> {
  const daemon = DaemonProcess.prepared({ ...env, TZ: 'America/Los_Angeles' })
  const db = await Database.open({ file: join(daemon.home, 'logs.db'), schema: 'logs' })
  await db.write((tx) =>
    tx.exec(
      `insert into order_logs (api_type, request_data, response_data, created_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       select 'placeorder', json_object('symbol', 'S' || i, 'strategy', '=1+1'),
         json_object('status', 'success', 'orderid', 'O' || i), ? + (i - ?) from n`,
      [ROWS, MIDNIGHT, ROWS / 2 + 1],
    ),
  )
  await db.close()
  await daemon.start()
  return daemon
}

const desk = commandDesk({ ORDER_LOG_RETENTION_DAYS: '0' }, withManyRows)

const idsIn = (text: string) => [...csvRecords(text)].slice(1).map(({ fields: [id] }) => Number(id))
const countdown = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index)

describe('svc log export', () => {
  it('writes every row of the database once, newest first, into a file of its owner', async () => {
    const file = join(tempDir(), 'log.csv')
    const line = `log export --since 2026-11-01 --until 2026-11-20 --file ${file}`
    const { exit, stderr } = await desk.terminal.svc(line)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: `Written to ${file}.\n` })
    expect(idsIn(readFileSync(file, 'utf8'))).toEqual(countdown(ROWS, 1))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain(",'=1+1,")
    expect((await desk.terminal.svc(line)).stderr).toMatch(/cannot be written: it exists/)
  })

  it('takes days as Indian days, whatever the time zone of the host', async () => {
    const { stdout } = await desk.terminal.svc('log export --since 2026-11-19 --until 2026-11-19', {
      env: { TZ: 'Pacific/Kiritimati' },
    })
    expect(idsIn(stdout)).toEqual(countdown(ROWS / 2, 1))
    const records = [...csvRecords(stdout)]
    expect([records[1]?.fields[1], records.at(-1)?.fields[1]]).toEqual([
      '2026-11-19 11:59:59 PM',
      '2026-11-19 11:59:40 PM',
    ])
  })

  it('is not created when it is refused', async () => {
    const file = join(tempDir(), 'log.csv')
    const { exit, stderr } = await desk.terminal.svc(`log export --file ${file} --since 2026-11-20T10:00`)
    expect(exit).toBe(2)
    expect(stderr).toMatch(/--since of an export is a day/)
    expect(existsSync(file)).toBe(false)
  })
})

/** Begins an export and takes nothing of its body. */
async function slowExport(): Promise<IncomingMessage> {
  const { url, token } = desk.daemon
  const request = get(`${url}/logs/export?start_date=2000-01-01`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  request.on('error', () => undefined)
  response.on('error', () => undefined)
  response.pause()
  return response
}

describe('a client of an export that reads nothing, or goes away', () => {
  it('delays no order and holds no transaction open', async () => {
    const slow = await slowExport()
    const gone = await slowExport()
    gone.destroy()
    for (let orders = 0; orders < 5; orders++) expect((await desk.daemon.place()).status).toBe(200)
    await expect.poll(() => foldLog(join(desk.daemon.home, 'logs.db'))).toBe(true)
    slow.destroy()
    expect((await desk.daemon.place()).status).toBe(200)
  })
})

describe('svc log orders and analyzer', () => {
  it('print the newest rows, the oldest of them first', async () => {
    const rows = await desk.terminal.json<{ id: number; symbol: string }[]>(
      'log orders --until 2026-11-19 --limit 2',
    )
    expect(rows.map(({ id }) => id)).toEqual([ROWS / 2 - 1, ROWS / 2])
    const found = await desk.terminal.json<{ symbol: string }[]>(
      'log orders --since 2026-11-19 --search "S39999"',
    )
    expect(found.map(({ symbol }) => symbol)).toEqual(['S39999'])
  })

  it.each([
    ['analyzer', true],
    ['orders', false],
  ] as const)(
    '%s leaves out requests that only read, unless they are asked for or failed',
    async (log, on) => {
      const { daemon, terminal } = desk
      await daemon.analyze(on)
      await terminal.svc('position list')
      await daemon.api('quotes', { symbol: 'NOPE', exchange: 'NSE' })
      await daemon.place({ strategy: `plain-${log}` })
      const types = async (options: string) => {
        const rows = await terminal.json<{ api_type: string }[]>(`log ${log} --since 10m ${options}`)
        return new Set(rows.map(({ api_type }) => api_type))
      }
      await expect.poll(() => types('')).toContain('placeorder')
      await expect.poll(() => types('--reads')).toContain('positionbook')
      const [plain, all, failed] = [await types(''), await types('--reads'), await types('--errors')]
      expect([...plain].filter((type) => ['positionbook', 'quotes'].includes(type))).toEqual([])
      expect(all).toContain('placeorder')
      expect(failed).toContain('quotes')
    },
  )

  it.each([
    ['analyzer', true],
    ['orders', false],
  ] as const)(
    'follow %s prints new rows of its mode, also after a restart of the daemon',
    async (log, on) => {
      const { daemon, terminal } = desk
      await daemon.analyze(on)
      const running = terminal.follow(`log ${log} --follow --since 10m`)
      await daemon.place({ strategy: `first-${log}` })
      await running.says(`first-${log}`)
      await daemon.crash()
      await daemon.place({ strategy: `second-${log}` })
      await running.says(`second-${log}`)
      running.interrupt()
      const { exit, stdout } = await running.ended
      expect(exit).toBe(130)
      expect(stdout.split(`"strategy":"second-${log}"`).length).toBe(3)
      expect(stdout).not.toContain(daemon.apikey)
    },
  )
})
