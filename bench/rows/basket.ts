import { orders, orderTarget, startDaemon } from '../daemon.js'
import { LoadClient } from '../load/load.js'
import { type Benchmark, median } from '../run.js'

const LEGS = 20
const CONNECTIONS = 8

/** Twenty orders in one request, compared with the same orders in twenty requests. */
export const basket: Benchmark = {
  name: 'basket',
  summary: `baskets of ${LEGS} in analyze mode, beside the same orders in ${LEGS} requests`,
  async run(run) {
    const daemon = await startDaemon(run.folder())
    const client = new LoadClient()
    const single = orderTarget(daemon)
    const legs = orders(daemon.apikey).map(({ apikey: _, strategy: __, ...leg }) => leg)
    // Two baskets: one sells the shares that the other buys.
    const sides = ['BUY', 'SELL'].map((action) => ({
      apikey: daemon.apikey,
      strategy: 'benchmark',
      orders: legs.slice(0, LEGS).map((leg) => ({ ...leg, action })),
    }))
    const baskets = { port: single.port, path: '/api/v1/basketorder', bodies: sides }
    const load = { connections: CONNECTIONS, seconds: run.seconds(3, 1) }
    try {
      const rounds: { one: number; many: number }[] = []
      for (let round = 0; round <= run.rounds(5, 2); round++) {
        const one = await client.run({ ...single, ...load })
        const many = await client.run({ ...baskets, ...load })
        // The first round warms up.
        if (round > 0) rounds.push({ one: one.perSecond, many: many.perSecond * LEGS })
      }
      return [
        {
          name: `basket of ${LEGS}, ${CONNECTIONS} connections`,
          value: median(rounds.map(({ many }) => many)),
          floor: median(rounds.map(({ one }) => one)),
          ratio: median(rounds.map(({ one, many }) => many / one)),
          unit: 'orders/s',
        },
      ]
    } finally {
      client.close()
      await daemon.dispose()
    }
  },
}
