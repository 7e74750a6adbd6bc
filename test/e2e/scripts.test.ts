import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../scripts/docs/documents.js'
import { testInTorture } from '../support/chance/cases.js'
import { eventually } from '../support/eventually.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { writeShellProgram } from '../support/process/shell-program.js'

const SCRIPT = /^```bash\n(#!\/usr\/bin\/env bash\n# ([\w-]+\.sh): [\s\S]*?)^```$/gm

/** The scripts of docs/scripts.md, by file name, exactly as printed. */
const SCRIPTS = new Map(
  [...readFileSync(join(ROOT, 'docs/scripts.md'), 'utf8').matchAll(SCRIPT)].map(
    ([, text = '', name = '']) => [name, text],
  ),
)

interface Ended {
  status: number
  stdout: string
  stderr: string
}

/** The pauses of a script last until the test ends them, however slow the machine is. */
const SLEEP = '#!/usr/bin/env bash\nuntil [[ -e "$(dirname "$0")/over" ]]; do command -p sleep 0.05; done\n'

/** A desk of a user who copied the scripts of the page. */
class ScriptDesk {
  readonly daemon: DaemonProcess
  readonly #env: Record<string, string>

  constructor(daemon: DaemonProcess) {
    this.daemon = daemon
    this.#env = {
      PATH: `${this.path('programs')}:${process.env.PATH}`,
      HOME: daemon.home,
      SVC_HOME: daemon.home,
      SVC_TOKEN: daemon.token,
      SVC_API_KEY: daemon.apikey,
    }
    mkdirSync(this.path('programs'))
    writeFileSync(join(this.path('programs'), 'sleep'), SLEEP, { mode: 0o700 })
    for (const [name, text] of SCRIPTS) writeFileSync(this.path(name), text, { mode: 0o700 })
  }

  static async open(mode: Mode): Promise<ScriptDesk> {
    const daemon = await DaemonProcess.ready()
    onTestFinished(() => daemon.dispose())
    await daemon.analyze(mode === 'analyze')
    const desk = new ScriptDesk(daemon)
    onTestFinished(await writeShellProgram(desk.path('programs'), 'own process'))
    return desk
  }

  path(name: string): string {
    return join(this.daemon.home, name)
  }

  /** Ends the pauses of scripts, also those that begin later. */
  endPauses(): void {
    writeFileSync(this.path('programs/over'), '')
  }

  run(name: string, ...args: string[]): Promise<Ended> {
    return this.#execute(this.path(name), args)
  }

  async json<T>(...words: string[]): Promise<T> {
    return JSON.parse((await this.#execute('svc', [...words, '--json'])).stdout)
  }

  /** Starts a script that runs until it is stopped, and stops it with the test. */
  follow(name: string): { process: ChildProcess; output: () => string } {
    const child = spawn(this.path(name), {
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    // The script and its pipeline are one process group.
    onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGTERM'))
    return { process: child, output: () => output }
  }

  #execute(file: string, args: string[]): Promise<Ended> {
    return new Promise((resolve) => {
      execFile(file, args, { env: this.#env }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
      )
    })
  }
}

type Mode = 'live' | 'analyze'
type Row = Record<string, unknown>

it('the page has its five scripts', () => {
  expect([...SCRIPTS.keys()]).toEqual([
    'morning-order.sh',
    'approve-small.sh',
    'fills.sh',
    'export-day.sh',
    'drawdown.sh',
  ])
})

describe.each<Mode>(['live', 'analyze'])('in %s mode', (mode) => {
  // `npm test` runs each promise in one of the modes.
  const inLive = mode === 'live' ? it : testInTorture
  const inAnalyze = mode === 'analyze' ? it : testInTorture

  inLive(
    'morning-order.sh places one order a day, also when it runs twice and finds no daemon at first',
    async () => {
      const desk = await ScriptDesk.open(mode)
      await desk.daemon.kill()
      const waiting = desk.run('morning-order.sh')
      await desk.daemon.start()
      desk.endPauses()
      expect(await waiting).toMatchObject({ status: 0 })
      expect(await desk.run('morning-order.sh')).toMatchObject({ status: 0 })
      expect(await desk.json<Row[]>('order', 'list')).toMatchObject([{ symbol: 'SBIN', quantity: 10, mode }])
    },
  )

  inAnalyze('morning-order.sh does not repeat an order that is refused', async () => {
    const desk = await ScriptDesk.open(mode)
    await desk.daemon.request('POST', '/risk/kill-switch', { on: true, reason: 'test' })
    expect(await desk.run('morning-order.sh')).toMatchObject({ status: 5 })
    expect(await desk.json<Row[]>('order', 'list')).toEqual([])
  })

  inLive(
    'approve-small.sh approves the small purchase of the bot, and leaves the rest in the queue',
    async () => {
      const desk = await ScriptDesk.open(mode)
      await desk.daemon.orderMode('semi_auto')
      expect(await desk.run('approve-small.sh')).toMatchObject({ status: 0 })
      await desk.daemon.place({ strategy: 'bot', quantity: 10 })
      await desk.daemon.place({ strategy: 'bot', quantity: 1000 })
      await desk.daemon.place({ strategy: 'bot', action: 'SELL', product: 'MIS' })
      await desk.daemon.place({ strategy: 'other' })
      expect(await desk.run('approve-small.sh')).toMatchObject({ status: 0 })
      const orders = await desk.json<Row[]>('order', 'list')
      expect(orders).toMatchObject([{ symbol: 'SBIN', action: 'BUY', quantity: 10, mode }])
      expect(await desk.json<Row[]>('approval', 'list')).toHaveLength(3)
    },
  )

  inAnalyze('fills.sh prints a line for each filled order', async () => {
    const desk = await ScriptDesk.open(mode)
    const fills = desk.follow('fills.sh')
    // The order after the script has connected is the first one that it must see.
    await eventually(async () => {
      await desk.daemon.place({ product: 'MIS', quantity: 7 })
      return fills.output() !== ''
    }, 'a fill is printed')
    expect(fills.output()).toMatch(new RegExp(`^${mode}\\t\\w+\\tBUY\\t7\\tSBIN\\t[\\d.]+\\n`))
  })

  inAnalyze('export-day.sh writes every book as CSV', async () => {
    const desk = await ScriptDesk.open(mode)
    await desk.daemon.place()
    await eventually(async () => (await desk.json<Row[]>('trade', 'list')).length > 0, 'the order is filled')
    const target = join(desk.daemon.home, 'export')
    mkdirSync(target)
    expect(await desk.run('export-day.sh', target)).toMatchObject({ status: 0 })
    const [day = ''] = readdirSync(target)
    expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    const lines = (noun: string) =>
      readFileSync(join(target, day, `${noun}.csv`), 'utf8')
        .trim()
        .split(/\r?\n/)
    for (const noun of ['order', 'position', 'fund']) expect(lines(noun)).toHaveLength(2)
    // The exchange may fill the order in parts.
    expect(lines('trade').length).toBeGreaterThanOrEqual(2)
    expect(lines('holding')[0]).toContain('current_value')
    expect(lines('order')[0]).toContain('orderid')
    expect(lines('order')[1]).toContain('SBIN')
  })

  inLive('drawdown.sh turns the kill switch on at the limit, and not before', async () => {
    const desk = await ScriptDesk.open(mode)
    // Each round trip pays the spread.
    for (const action of ['BUY', 'SELL', 'BUY', 'SELL', 'BUY', 'SELL']) {
      await desk.daemon.place({ action, product: 'MIS', quantity: 500 })
    }
    const killSwitch = async () => (await desk.json<{ kill_switch: Row }>('risk', 'show')).kill_switch
    await eventually(
      async () => Number((await desk.json<Row>('fund', 'list')).totalpnl) < -10,
      'the account shows the loss',
    )
    expect(await desk.run('drawdown.sh', '10000000')).toMatchObject({ status: 0 })
    expect(await killSwitch()).toMatchObject({ on: false })
    expect(await desk.run('drawdown.sh', '10')).toMatchObject({ status: 0 })
    expect(await killSwitch()).toMatchObject({ on: true, reason: 'loss of 10 reached' })
  })

  inAnalyze('drawdown.sh fails when it cannot see the account', async () => {
    const desk = await ScriptDesk.open(mode)
    await desk.daemon.kill()
    expect((await desk.run('drawdown.sh', '10')).status).not.toBe(0)
  })
})
