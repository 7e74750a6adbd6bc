import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { queueOne } from '../../support/desk/desk-state.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { serviceManager } from '../../support/process/service-manager.js'
import { Terminal, type TerminalOptions } from '../../support/terminal.js'

const desk = commandDesk()
/** The gateway does not forward WebSockets. */
const direct = (options: TerminalOptions): TerminalOptions => ({
  ...options,
  env: { ...options.env, SVC_URL: desk.daemon.url, SVC_TOKEN: desk.daemon.token },
})
const ESCAPE = '\u001b['

/** Follows events on a terminal while an order is placed, until a text is shown. */
async function followed(env: Record<string, string>, line = 'event follow') {
  const running = desk.terminal.start(line, direct({ tty: 'stdout', env }))
  await eventually(async () => {
    await desk.daemon.place()
    return running.stdout().includes('simulated')
  })
  running.interrupt()
  return (await running.ended).stdout
}

describe('svc event follow', () => {
  it('prints a line of words per event on a terminal: time, topic, symbol', async () => {
    const stdout = await followed({ NO_COLOR: '1' })
    expect(stdout).toMatch(
      /^\d\d:\d\d:\d\d {2}analyzer_update {10}NSE:SBIN {7}simulated: BUY 10 (MARKET )?CNC.*, order \d+$/m,
    )
    expect(stdout).not.toMatch(/[{}]/)
    expect(stdout).not.toContain(ESCAPE)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })

  it('has colour by the rules of every command, and JSON when it is requested', async () => {
    const kill = async (line: string) => {
      const running = desk.terminal.start(line, direct({ tty: 'stdout' }))
      await eventually(async () => {
        await desk.daemon.request('POST', '/risk/kill-switch', { on: true, reason: 'drill' })
        await desk.daemon.request('POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' })
        return running.stdout().includes('drill')
      })
      running.interrupt()
      return (await running.ended).stdout
    }
    const coloured = await kill('event follow --event kill_switch')
    expect(coloured.split(ESCAPE)).toContainEqual(
      expect.stringMatching(/^31m\d\d:\d\d:\d\d {2}kill_switch .*kill switch ON by asha: drill$/),
    )
    const documents = await kill('event follow --event kill_switch --jsonl')
    const drill = documents.split('\n').find((line) => line.includes('drill'))
    expect(JSON.parse(drill ?? '')).toMatchObject({ event: 'kill_switch', data: { reason: 'drill' } })
  })
})

describe('a view on a terminal', () => {
  it('has words instead of JSON objects', async () => {
    const { orderid } = (await desk.daemon.place()).body
    await desk.daemon.orderMode('semi_auto')
    const id = await queueOne(desk.daemon)
    await desk.daemon.orderMode('auto')
    const request = await desk.terminal.svc(`approval show ${id}`, { tty: 'stdout', env: { NO_COLOR: '1' } })
    expect(request.stdout).toMatch(/^REQUEST .*exchange NSE, symbol SBIN, action BUY, quantity 10/m)
    const lines = [
      `approval show ${id}`,
      `order status ${orderid}`,
      'broker status',
      'broker list',
      'status',
      'whoami',
      'risk show',
      'session list',
      'order journal -o wide',
      'order margin SBIN NSE BUY 10',
      'quote NSE:SBIN',
      'depth SBIN NSE',
      'symbol SBIN NSE',
      'flow nodes placeOrder',
      'config get ORDER_RATE_LIMIT',
      'sandbox pnl',
    ]
    for (const line of lines) {
      const { exit, stdout } = await desk.terminal.svc(line, { tty: 'stdout' })
      expect({ line, exit, json: /\{"|\[\{|":/.test(stdout) }).toEqual({ line, exit: 0, json: false })
    }
  })
})

describe('svc up in the foreground', () => {
  const ended = async (terminal: Terminal, options: TerminalOptions) => {
    const running = terminal.start('up --port 0 --ws-port 0', options)
    await running.says('daemon.ready')
    await eventually(async () => (await terminal.svc('status -q')).exit === 0)
    await terminal.svc('down')
    return (await running.ended).stdout
  }
  const fresh = () => new Terminal({ home: join(tempDir(), 'home') })

  it('prints its log in words on a terminal', async () => {
    const stdout = await ended(fresh(), { tty: 'stdout', env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(
      /^\d\d:\d\d:\d\d {2}daemon\.ready .*url http:\/\/127\.0\.0\.1:\d+, version .*, mode live/m,
    )
    expect(stdout).toContain('daemon.stopped')
    expect(stdout).not.toMatch(/[{}]/)
  })

  it('tells the service manager that started it once it is ready', async () => {
    const { told, env } = serviceManager()
    await ended(fresh(), { env })
    expect(readFileSync(told, 'utf8')).toBe('--ready to /run/manager\n')
  })

  it('prints JSON in a pipe', async () => {
    const stdout = await ended(fresh(), {})
    const rows = stdout.split('\n').filter((line) => line.startsWith('{'))
    expect(rows.map((line) => JSON.parse(line).event)).toEqual(
      expect.arrayContaining(['daemon.ready', 'daemon.stopped']),
    )
  })
})
