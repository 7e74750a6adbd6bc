import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Row } from '../report.js'
import { type Benchmark, median } from '../run.js'

const BIN = fileURLToPath(new URL('../../bin/svc', import.meta.url))
const CPU_LOG = fileURLToPath(new URL('../load/cpu-log.cjs', import.meta.url))
const DAY_MINUTES = 355

/** Two averages, a quote, the position and the funds in each minute; it buys and sells when the averages cross. */
const WORKFLOW = `name: A day
nodes:
  every_minute:
    type: start
    with: {scheduleType: interval, intervalValue: 1, intervalUnit: minutes, marketHoursOnly: true, marketHoursEnd: "15:15"}
    next: fast
  fast:
    type: indicator
    with: {symbol: INFY, exchange: NSE, interval: 5m, indicatorName: ema, params: {period: 9}, outputVariable: fast}
    next: slow
  slow:
    type: indicator
    with: {symbol: INFY, exchange: NSE, interval: 5m, indicatorName: ema, params: {period: 21}, outputVariable: slow}
    next: quote
  quote:
    type: getQuote
    with: {symbol: INFY, exchange: NSE, outputVariable: quote}
    next: position
  position:
    type: openPosition
    with: {symbol: INFY, exchange: NSE, product: MIS, outputVariable: position}
    next: funds
  funds: {type: funds, with: {outputVariable: funds}, next: [enter, exit]}
  enter:
    if: "{{fast.previous.value}} > {{slow.previous.value}} and {{position.quantity}} == 0 and {{time}} <= 14:30"
    yes: buy
  buy:
    type: smartOrder
    with: {symbol: INFY, exchange: NSE, action: BUY, product: MIS, positionSize: 25, outputVariable: entry}
  exit:
    if: "{{position.quantity}} > 0 and ({{fast.previous.value}} < {{slow.previous.value}} or {{time}} >= 15:05)"
    yes: sell
  sell:
    type: closePosition
    with: {symbol: INFY, exchange: NSE, product: MIS, outputVariable: closed}
`

/** An offline test of a whole day must cost little more than one of a minute, which is mostly the start of a service. */
export const flowDay: Benchmark = {
  name: 'flow-day',
  summary: `svc flow test of ${DAY_MINUTES} minutes, a run in each, against one of a minute`,
  async run(run) {
    const folder = run.folder()
    const [whole, minute]: [number[], number[]] = [[], []]
    for (let round = 0; round < run.rounds(7, 3); round++) {
      minute.push(processorMs(folder, 1))
      whole.push(processorMs(folder, DAY_MINUTES))
    }
    return [
      {
        name: `flow test of ${DAY_MINUTES} minutes, processor`,
        value: median(whole),
        floor: median(minute),
        unit: 'ms',
        goal: { of: 'ratio', atMost: 3 },
      },
    ] satisfies Row[]
  },
}

/** Returns the processor time of a test whose case takes `minutes`. */
function processorMs(folder: string, minutes: number): number {
  writeFileSync(join(folder, 'day.yaml'), WORKFLOW)
  writeFileSync(join(folder, 'day.test.yaml'), caseOf(minutes))
  const log = join(folder, 'cpu')
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--require', CPU_LOG, BIN, 'flow', 'test', join(folder, 'day.test.yaml')],
    { env: { ...process.env, HOME: folder, CPU_LOG: log }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`flow test failed: ${stdout}`)
  return Number(readFileSync(log, 'utf8'))
}

/** A case with a price for each minute of the day; the last minute is a run too. */
function caseOf(minutes: number): string {
  const prices = Array.from({ length: DAY_MINUTES }, (_, minute) => {
    const price = 1500 + 20 * Math.sin(minute / 30) + 5 * Math.sin(minute / 7)
    return `    - {after: ${minute}m, NSE:INFY: ${price.toFixed(2)}}\n`
  })
  return `- name: the day
  at: 2026-11-20T09:20:00
  market:
${prices.join('')}  trigger: {kind: schedule}
  advance: ${minutes}m
  expect: {status: completed, visited: [funds]}
`
}
