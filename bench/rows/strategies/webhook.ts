import type { DaemonProcess } from '../../../test/support/process/daemon-process.js'
import { orderTarget, startDaemon } from '../../daemon.js'
import { LoadClient, type Measured } from '../../load/load.js'
import type { Row } from '../../report.js'
import { type Benchmark, median, type Run } from '../../run.js'

const TIMES_AN_ORDER = 2
const UNLIMITED = '1000000 per second'

/** The time from the webhook of a strategy to its order. */
export const strategyWebhook: Benchmark = {
  name: 'strategy-webhook',
  summary: "a strategy's webhook to its order, beside the order alone",
  async run(run) {
    const daemon = await startDaemon(run.folder(), { WEBHOOK_RATE_LIMIT: UNLIMITED })
    const client = new LoadClient()
    try {
      return rowsOf(await measure(run, daemon, client))
    } finally {
      client.close()
      await daemon.dispose()
    }
  },
}

interface Round {
  order: Measured
  signal: Measured
}

async function measure(run: Run, daemon: DaemonProcess, client: LoadClient): Promise<Round[]> {
  const load = { connections: 1, seconds: run.seconds(4, 1.5) }
  const webhook = { port: Number(new URL(daemon.url).port), path: await hookPath(daemon), bodies: SIGNALS }
  const rounds: Round[] = []
  for (let round = 0; round <= run.rounds(4, 2); round++) {
    const order = await client.run({ ...orderTarget(daemon), ...load })
    const signal = await client.run({ ...webhook, ...load })
    // The first round warms up.
    if (round > 0) rounds.push({ order, signal })
  }
  const { body } = await daemon.api<{ data: { status: string }[] }>('strategy/orders', { strategy_id: 1 })
  const sent = rounds.reduce((sum, { signal }) => sum + signal.requests, 0)
  if (body.data.length < sent) throw new Error(`${sent} signals placed ${body.data.length} orders`)
  const open = body.data.filter(({ status }) => status !== 'complete')
  if (open.length > 1) throw new Error(`${open.length} orders of signals are not filled`)
  return rounds
}

/** Each signal is one order: the entry of ten shares, then their exit. */
const SIGNALS = ['long_entry', 'long_exit'].map((action) => ({ action, leg_id: 1 }))

async function hookPath(daemon: DaemonProcess): Promise<string> {
  const made = await daemon.request<{ webhook_token: string }>('POST', '/strategy/api/strategies', {
    name: 'Signals',
    strategy_kind: 'signal',
    strategy_type: 'positional',
    product: 'MIS',
    underlying: 'SBIN',
    underlying_exchange: 'NSE',
    legs: [{ symbol: 'SBIN', exchange: 'NSE', segment: 'cash', qty: 10 }],
  })
  return `/strategy/webhook/${made.body.webhook_token}`
}

function rowsOf(rounds: readonly Round[]): Row[] {
  return (['p50', 'p99'] as const).map((name) => ({
    name: `strategy webhook to order, ${name}`,
    value: median(rounds.map(({ signal }) => signal.latencies[name])),
    floor: median(rounds.map(({ order }) => order.latencies[name])),
    unit: 'ms',
    goal: { of: 'ratio', atMost: TIMES_AN_ORDER },
  }))
}
