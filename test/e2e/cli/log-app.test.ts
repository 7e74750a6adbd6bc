import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'
import { Terminal } from '../../support/terminal.js'

interface AppRow {
  time: string | null
  level: string | null
  event: string | null
}

const line = (time: string, event: string, facts = {}) =>
  `${JSON.stringify({ level: 'info', time, ...facts, event })}\n`

/** A home with daily files of two days, and no daemon. */
function homeWithLogs(): Terminal {
  const terminal = new Terminal({ home: join(tempDir(), 'home'), env: { LOG_TO_FILE: 'true' } })
  const dir = join(terminal.home, 'log')
  mkdirSync(dir, { recursive: true })
  writeFileSync(
    join(dir, 'svc_2026-11-19.log'),
    line('2026-11-19T04:00:00.000Z', 'daemon.ready') + line('2026-11-19T18:29:59.000Z', 'last.of.the.day'),
  )
  writeFileSync(
    join(dir, 'svc_2026-11-20.log'),
    line('2026-11-19T18:30:00.000Z', 'first.of.the.day') +
      line('2026-11-20T04:00:00.000Z', 'order.sent', { symbol: 'SBIN', exchange: 'NSE' }),
  )
  return terminal
}

const eventsOf = async (terminal: Terminal, command: string) =>
  (await terminal.json<AppRow[]>(command)).map(({ event }) => event)

describe('svc log app', () => {
  it('shows the rows of the files in order, without a daemon', async () => {
    const terminal = homeWithLogs()
    const all = ['daemon.ready', 'last.of.the.day', 'first.of.the.day', 'order.sent']
    expect(await eventsOf(terminal, 'log app')).toEqual(all)
    expect(await eventsOf(terminal, 'log app --limit 3')).toEqual(all.slice(1))
    expect(await eventsOf(terminal, 'log app --search sbin')).toEqual(['order.sent'])
  })

  it('takes days as Indian days in every time zone of the host', async () => {
    const terminal = homeWithLogs()
    for (const TZ of ['America/New_York', 'Pacific/Kiritimati']) {
      const { stdout } = await terminal.svc('log app --since 2026-11-20 --until 2026-11-20 -o jsonl', {
        env: { TZ },
      })
      expect(stdout.match(/"event":"[^"]+"/g)).toEqual(['"event":"first.of.the.day"', '"event":"order.sent"'])
    }
  })

  it('shows the words of a line on a terminal', async () => {
    const { stdout } = await homeWithLogs().svc('log app --limit 1', { tty: 'stdout' })
    expect(stdout).toMatch(/order\.sent +NSE:SBIN/)
  })

  it('refuses --follow with an end', async () => {
    const { exit, stderr } = await homeWithLogs().svc('log app --follow --until today')
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: 'error: --follow has no end: omit --until.\n' })
  })

  it('reads the errors where the daemon writes no other file, and says so', async () => {
    const daemon = await DaemonProcess.ready()
    onTestFinished(() => daemon.dispose())
    const terminal = new Terminal({ home: daemon.home })
    writeFileSync(join(daemon.home, 'log', 'errors.jsonl'), line('2026-11-20T04:00:00.000Z', 'fault'))
    const { stdout, stderr } = await terminal.svc('log app -o jsonl')
    expect(stdout).toMatch(/"event":"fault"/)
    expect(stderr).toMatch(/LOG_TO_FILE=true/)
    expect(await eventsOf(terminal, 'log app --errors')).toEqual(['fault'])
  })
})

describe('svc log app --follow', () => {
  it('prints the lines of a running daemon, across the start of the next file, until Ctrl-C', async () => {
    const daemon = await DaemonProcess.ready({ LOG_TO_FILE: 'true', LOG_LEVEL: 'INFO' })
    onTestFinished(() => daemon.dispose())
    const terminal = new Terminal({ home: daemon.home, env: { LOG_TO_FILE: 'true' } })
    const running = terminal.start('log app --follow')
    await running.says('"event":"daemon.ready"')
    await daemon.crash()
    await eventually(() => running.stdout().split('"event":"daemon.ready"').length === 3)
    await daemon.kill()
    const dir = join(daemon.home, 'log')
    const [today = ''] = readdirSync(dir).filter((name) => name.startsWith('svc_'))
    appendFileSync(join(dir, today), line('2999-01-01T00:00:00.000Z', 'last.line'))
    writeFileSync(join(dir, 'svc_2999-01-02.log'), line('2999-01-02T00:00:00.000Z', 'after.midnight'))
    await running.says('"event":"after.midnight"')
    running.interrupt()
    const { exit, stdout } = await running.ended
    expect(exit).toBe(130)
    const events = stdout
      .trim()
      .split('\n')
      .map((row) => (JSON.parse(row) as AppRow).event)
    expect(events.slice(-2)).toEqual(['last.line', 'after.midnight'])
    expect(events.filter((event) => event === 'daemon.ready')).toHaveLength(2)
    expect(events.filter((event) => event === 'last.line')).toHaveLength(1)
  })
})
