import { CATALOGUE } from '../../../fixtures/invented-broker/fake/catalogue.js'
import { depthPart, priceOf } from '../../../fixtures/invented-broker/fake/frames.js'
import { ACCOUNT } from '../../../fixtures/invented-broker/fake/routes.js'
import { FakeInvented } from '../../../fixtures/invented-broker/fake/server.js'
import { invented } from '../../../fixtures/invented-broker/plugin/index.js'
import { COUNTED_IN_UNITS, rigOf } from '../conformance/fake-rig.js'
import { runBrokerConformance } from '../conformance.js'
import { SESSION } from './rig.js'

const [INFY, SBIN, OPTION] = ['NSECM/INFY', 'NSECM/SBIN', 'NSEFO/NIFTY-20300129-24000C']

const setup = rigOf<FakeInvented>({
  plugin: invented,
  session: SESSION,
  start: (options) => FakeInvented.start(options),
  counted: [
    ...COUNTED_IN_UNITS,
    { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', lot: 10, count: 1, product: 'NRML' },
  ],
  secrets: [ACCOUNT.bearer, ACCOUNT.appSecret, ACCOUNT.code, 'inventedticket'],
  known: [ACCOUNT.bearer],
  refusal: 'O-10',
  refuseAddress(fake, address) {
    fake.world.session.refusedAddress = address
  },
  fund: (fake) => fake.exchange.hold(SBIN, 'FUNDED', 5),
  nextDay: (fake) => fake.exchange.nextDay(),
  prices: [
    [INFY, 1500, 0.05],
    [SBIN, 800, 0.05],
    [OPTION, 310, 0.05],
    ['MCXCO/GOLDM-20300131-F', 72_150, 1],
  ],
  option: OPTION,
  feed({ exchange, feed }, clock) {
    const partsOf = (key: string) => {
      const scrip = CATALOGUE.find((row) => row.key === key)
      const price = exchange.price(key)
      if (!scrip || !price) throw new Error(`${key} is not listed`)
      return {
        ltp: price.ltp,
        price: priceOf(scrip, price, clock.now()),
        depth: depthPart(scrip, price),
      }
    }
    return {
      message() {
        const [cash, other] = [partsOf(INFY), partsOf(SBIN)]
        const bytes = Buffer.concat([cash.price, cash.depth, other.price, other.depth])
        return { bytes, cutBytes: other.depth.length + 5, cash: cash.ltp, other: other.ltp }
      },
      send: (bytes) => feed.sendRaw(bytes),
      dials: () => feed.dials,
      cut: () => feed.disconnectAll(),
    }
  },
})

runBrokerConformance('invented', setup)
