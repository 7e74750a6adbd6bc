import { upstox } from '../../../../src/core/brokers/upstox/index.js'
import { feedFrame, feedOf } from '../../../fixtures/fake-upstox/frames.js'
import { FAKE_ACCOUNT, FakeUpstox } from '../../../fixtures/fake-upstox/server.js'
import { COUNTED_IN_UNITS, rigOf } from '../conformance/fake-rig.js'
import { runBrokerConformance } from '../conformance.js'
import { INFY, SBIN, SECRETS, SESSION } from './rig.js'

const OPTION = 'NSE_FO|53002'

const setup = rigOf<FakeUpstox>({
  plugin: upstox,
  session: SESSION,
  start: (options) => FakeUpstox.start(options),
  counted: [
    ...COUNTED_IN_UNITS,
    { symbol: 'USDINR29JAN30FUT', exchange: 'CDS', lot: 1000, count: 1000, product: 'NRML' },
    { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', lot: 10, count: 1, product: 'NRML' },
  ],
  secrets: SECRETS,
  known: [FAKE_ACCOUNT.accessToken],
  refusal: 'UDAPI100500',
  refuseAddress(fake, address) {
    fake.signIn.refusedAddress = address
  },
  fund: (fake) => fake.exchange.hold(SBIN, 'MTF', 5),
  nextDay: (fake) => fake.exchange.nextDay(),
  prices: [
    [INFY, 1500, 0.05],
    [SBIN, 800, 0.05],
    [OPTION, 310, 0.05],
    ['NCD_FO|1001', 84.5525, 0.0025],
    ['MCX_FO|2001', 72_150, 1],
  ],
  option: OPTION,
  feed({ exchange, feeds }, clock) {
    const priceOf = (key: string) => {
      const price = exchange.price(key)
      if (!price) throw new Error(`${key} is not listed`)
      return price
    }
    return {
      message() {
        const [cash, other] = [priceOf(INFY), priceOf(SBIN)]
        const now = clock.now()
        const entries = [cash, other].map((price) => [price.listed.key, feedOf(price, 'full', now)] as const)
        const bytes = Buffer.from(feedFrame('live_feed', entries, now))
        return { bytes, cutBytes: 100, cash: cash.ltp, other: other.ltp }
      },
      send: (bytes) => feeds.sendRaw(bytes),
      dials: () => feeds.dials.market,
      cut: () => feeds.disconnectAll(),
    }
  },
})

runBrokerConformance('upstox', setup)
