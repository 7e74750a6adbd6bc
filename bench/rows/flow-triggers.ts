import { silentLogger } from '../../src/core/logging/index.js'
import { loadFlows, loadTime } from '../compiled.js'
import { orderTarget, startDaemon } from '../daemon.js'
import { LoadClient, type Measured } from '../load/load.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run, timed } from '../run.js'

const ALERTS = 1000
const CYCLE_MS = 5000

/** The time from a webhook to its order, and the cost of watching a thousand prices. */
export const flowTriggers: Benchmark = {
  name: 'flow-triggers',
  summary: `a webhook's way to its order, beside the order alone; ${ALERTS} price alerts a cycle`,
  run: async (run) => [...(await webhookToOrder(run)), await alertsACycle(run)],
}

async function webhookToOrder(run: Run): Promise<Row[]> {
  const daemon = await startDaemon(run.folder())
  const client = new LoadClient()
  try {
    const hook = await armed(daemon)
    const load = { connections: 1, seconds: run.seconds(4, 1.5) }
    const webhook = { port: hook.port, path: hook.path, bodies: [hook.body] }
    const rounds: { order: Measured; hook: Measured }[] = []
    for (let round = 0; round <= run.rounds(4, 2); round++) {
      const order = await client.run({ ...orderTarget(daemon), ...load })
      const fired = await client.run({ ...webhook, ...load })
      // The first round warms up.
      if (round > 0) rounds.push({ order, hook: fired })
    }
    return (['p50', 'p99'] as const).map((name) => ({
      name: `webhook to order, ${name}`,
      value: median(rounds.map((round) => round.hook.latencies[name])),
      floor: median(rounds.map((round) => round.order.latencies[name])),
      unit: 'ms',
    }))
  } finally {
    client.close()
    await daemon.dispose()
  }
}

interface Webhook {
  webhook_token: string
  webhook_secret: string
}

/** Creates and activates a workflow that places the order in its webhook's payload. */
async function armed(daemon: Awaited<ReturnType<typeof startDaemon>>) {
  const nodes = [
    { id: 'hook', type: 'webhookTrigger', position: { x: 0, y: 0 }, data: {} },
    {
      id: 'order',
      type: 'placeOrder',
      position: { x: 0, y: 0 },
      data: {
        symbol: '{{webhook.symbol}}',
        exchange: 'NSE',
        action: 'BUY',
        quantity: '{{webhook.quantity}}',
      },
    },
  ]
  const edges = [{ id: 'e', source: 'hook', target: 'order' }]
  const workflows = '/flow/api/workflows'
  const made = await daemon.request<{ id: number }>('POST', workflows, { name: 'Hook', nodes, edges })
  const at = `${workflows}/${made.body.id}`
  await daemon.request('POST', `${at}/activate`)
  const enabled = await daemon.request<Webhook>('POST', `${at}/webhook/enable`)
  const { webhook_token: token, webhook_secret: secret } = enabled.body
  return {
    port: Number(new URL(daemon.url).port),
    path: `/flow/webhook/${token}`,
    body: { secret, symbol: 'SBIN', quantity: 1 },
  }
}

/** Returns the milliseconds for one check of every price, and for a loop that only compares. */
async function alertsACycle(run: Run): Promise<Row> {
  const [{ PriceMonitor }, { VirtualClock }] = [await loadFlows(), await loadTime()]
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  let price = 100
  const monitor = new PriceMonitor({
    clock,
    broker: () => 'simulated',
    lastTick: () => ({ ltp: price, at: clock.now() }),
    quote: async () => new Map(),
    fire: async () => 'executed',
    retire: () => undefined,
    log: silentLogger,
  })
  const levels: number[] = []
  for (let one = 0; one < ALERTS; one++) {
    levels.push(1000 + one)
    monitor.add(
      one,
      {
        symbol: `S${one}`,
        exchange: 'NSE',
        levels: { condition: 'crossing_up', price: 1000 + one },
        trigger: 'once',
        expiresAfterMs: undefined,
      },
      clock.now(),
    )
  }
  const cycles = run.pick(2000, 400, 100)
  const watched: number[] = []
  const compared: number[] = []
  for (let cycle = 0; cycle < cycles; cycle++) {
    price = 100 + (cycle % 50)
    watched.push(await timed(() => clock.advance(CYCLE_MS)))
    compared.push(await timed(() => levels.filter((level) => price > level).length))
  }
  monitor.stop()
  return {
    name: `${ALERTS.toLocaleString('en-US')} price alerts, a cycle of 5 s`,
    value: median(watched),
    floor: median(compared),
    unit: 'ms',
  }
}
