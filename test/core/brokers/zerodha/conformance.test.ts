import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { runBrokerConformance } from '../conformance.js'
import { SECRETS, SESSION, startRig } from './rig.js'

/** The derivative, in Kite's spelling. */
const OPTION = 'NFO:NIFTY30JAN24000CE'

runBrokerConformance('zerodha', async () => {
  const { fake, client, context, close } = await startRig()
  let moves = 0
  return {
    plugin: zerodha,
    client,
    session: SESSION,
    context,
    instruments: {
      cash: { symbol: 'INFY', exchange: 'NSE', lot: 1 },
      other: { symbol: 'SBIN', exchange: 'NSE' },
      index: { symbol: 'NIFTY', exchange: 'NSE_INDEX' },
      derivative: { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', lot: 75 },
    },
    history: { from: '2025-09-04', to: '2025-09-10' },
    secrets: SECRETS,
    spoilt: ['no_id', 'cut_body', 'garbage', 'drop_after', '5xx_after'],
    spoil: (call, spoilt) => fake.script.set({ route: call, actions: [spoilt] }),
    async holdForeign() {
      fake.book.hold('NSE:SBIN', 'MTF', 5)
      return { symbol: 'SBIN', exchange: 'NSE', product: 'MTF', quantity: 5 }
    },
    async stir() {
      moves++
      fake.setPrice('NSE:INFY', 1500 + moves * 0.05)
      fake.setPrice('NSE:SBIN', 800 + moves * 0.05)
    },
    async nextDay() {
      fake.setPrice(OPTION, 318)
      fake.nextDay()
      const close = fake.prices.get(OPTION)?.close ?? 0
      fake.setPrice(OPTION, close + 5)
      return close
    },
    wait: () => context.clock.sleep(2),
    close,
  }
})
