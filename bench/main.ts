import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { buildWhenStale } from '../test/support/process/build.js'
import { compileModules } from './compile.js'
import { Progress } from './progress.js'
import { judge, table, type Verdict } from './report.js'
import { access } from './rows/access.js'
import { basket } from './rows/basket.js'
import { brokerTicks } from './rows/broker-ticks.js'
import { commands } from './rows/commands.js'
import { eventClients } from './rows/event-clients.js'
import { firstByte } from './rows/first-byte.js'
import { flowDay } from './rows/flow-day.js'
import { flowTriggers } from './rows/flow-triggers.js'
import { flows } from './rows/flows.js'
import { freezeUpload } from './rows/freeze-upload.js'
import { growth } from './rows/growth.js'
import { liveOrders } from './rows/live-orders.js'
import { logExport } from './rows/log-export.js'
import { logRows } from './rows/log-rows.js'
import { mcp } from './rows/mcp.js'
import { orderPath } from './rows/order-path.js'
import { pages } from './rows/pages.js'
import { pnl } from './rows/pnl.js'
import { questions } from './rows/questions.js'
import { sandbox } from './rows/sandbox.js'
import { screenHour, screens } from './rows/screens.js'
import { search } from './rows/search.js'
import { startUp } from './rows/start-up.js'
import { storage } from './rows/storage.js'
import { strategies } from './rows/strategies/engine.js'
import { strategyProfit } from './rows/strategies/profit.js'
import { strategyRuns } from './rows/strategies/runs.js'
import { strategyWebhook } from './rows/strategies/webhook.js'
import { stream } from './rows/stream.js'
import { traffic } from './rows/traffic.js'
import { type Benchmark, Run } from './run.js'

const BENCHMARKS: readonly Benchmark[] = [
  orderPath,
  liveOrders,
  firstByte,
  basket,
  questions,
  search,
  stream,
  brokerTicks,
  eventClients,
  screens,
  screenHour,
  flows,
  flowTriggers,
  flowDay,
  freezeUpload,
  logRows,
  logExport,
  growth,
  pages,
  traffic,
  mcp,
  strategies,
  strategyRuns,
  strategyWebhook,
  strategyProfit,
  pnl,
  startUp,
  commands,
  storage,
  sandbox,
  access,
]

const USAGE = `npm run bench -- [--quick | --long] [--json] [--only name]...

  --quick   measures briefly: for a look, not for a comparison
  --long    measures with more rounds, and files of a million rows
  --json    rows as JSON instead of a table
  --only    one of:
${BENCHMARKS.map(({ name, summary }) => `              ${name.padEnd(16)}${summary}`).join('\n')}
`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
})

const unknown = options.only.find((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
if (unknown !== undefined || options.help) {
  if (unknown !== undefined) console.error(`There is no benchmark "${unknown}".\n`)
  console.error(USAGE)
  process.exitCode = unknown === undefined ? 0 : 2
} else {
  await main()
}

/** Measures and prints. A missed goal is a result like any other; only a broken benchmark is a failure. */
async function main(): Promise<void> {
  buildWhenStale()
  await compileModules()
  const run = new Run(options.quick ? 'quick' : options.long ? 'long' : 'usual')
  const chosen = BENCHMARKS.filter(({ name }) => options.only.length === 0 || options.only.includes(name))
  const progress = new Progress(chosen.length)
  const rows: Verdict[] = []
  for (const benchmark of chosen) {
    const done = progress.begin(`${benchmark.name}: ${benchmark.summary}`)
    try {
      rows.push(...(await benchmark.run(run)).map(judge))
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    } finally {
      run.dispose()
      done()
    }
  }
  progress.end()
  console.log(
    options.json ? JSON.stringify({ ...machine(), rows }, null, 2) : `${machineText()}\n\n${table(rows)}`,
  )
}

function machine() {
  const [cpu] = cpus()
  return {
    node: process.version,
    cpus: cpus().length,
    cpu: cpu?.model.trim() ?? '',
    load: loadavg().map((load) => Number(load.toFixed(2))),
  }
}

function machineText(): string {
  const { node, cpus: count, cpu, load } = machine()
  return `Node ${node}, ${count} x ${cpu || 'unnamed CPU'}, load ${load.join(' ')}`
}
