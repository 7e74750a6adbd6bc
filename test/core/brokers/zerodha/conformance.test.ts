import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { frame, packet } from '../../../fixtures/fake-kite/packets.js'
import { FAKE_ACCOUNT, FakeKite } from '../../../fixtures/fake-kite/server.js'
import { COUNTED_IN_UNITS, rigOf } from '../conformance/fake-rig.js'
import { runBrokerConformance } from '../conformance.js'
import { SECRETS, SESSION } from './rig.js'

const [INFY, SBIN, OPTION] = ['NSE:INFY', 'NSE:SBIN', 'NFO:NIFTY30JAN24000CE']

const setup = rigOf<FakeKite>({
  plugin: zerodha,
  session: SESSION,
  start: (options) => FakeKite.start(options),
  counted: [
    ...COUNTED_IN_UNITS,
    { symbol: 'USDINR29JAN30FUT', exchange: 'CDS', lot: 1000, count: 1, product: 'NRML' },
    { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', lot: 10, count: 1, product: 'NRML' },
  ],
  secrets: SECRETS,
  known: [FAKE_ACCOUNT.accessToken],
  refusal: 'InputException',
  refuseAddress: (fake, address) => fake.refuseAddress(address),
  refuseFired(fake, words) {
    fake.triggers.refusesNext = words
  },
  fund: (fake) => fake.book.hold(SBIN, 'MTF', 5),
  nextDay: (fake) => fake.nextDay(),
  prices: [
    [INFY, 1500, 0.05],
    [SBIN, 800, 0.05],
    [OPTION, 310, 0.05],
    ['CDS:USDINR30JANFUT', 84.5525, 0.0025],
    ['MCX:GOLDM30JANFUT', 72_150, 1],
  ],
  option: OPTION,
  feed({ prices, ticker }, clock) {
    const stateOf = (key: string) => {
      const state = prices.get(key)
      if (!state) throw new Error(`${key} is not listed`)
      return state
    }
    return {
      message() {
        const [cash, other] = [stateOf(INFY), stateOf(SBIN)]
        const bytes = frame([cash, other].map((state) => packet(state, 'full', clock.now())))
        return { bytes, cutBytes: 100, cash: cash.ltp, other: other.ltp }
      },
      send: (bytes) => ticker.sendRaw(bytes),
      cut: () => ticker.disconnectAll(),
    }
  },
})

runBrokerConformance('zerodha', setup)
