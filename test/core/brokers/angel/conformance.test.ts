import { angel } from '../../../../src/core/brokers/angel/index.js'
import { CATALOGUE } from '../../../fixtures/fake-angel/catalogue.js'
import { packet } from '../../../fixtures/fake-angel/frames.js'
import { ACCOUNT, FakeAngel } from '../../../fixtures/fake-angel/server.js'
import { COUNTED_IN_UNITS, rigOf } from '../conformance/fake-rig.js'
import { runBrokerConformance } from '../conformance.js'
import { SECRETS, SESSION } from './rig.js'

const [INFY, SBIN, OPTION] = ['NSE:INFY-EQ', 'NSE:SBIN-EQ', 'NFO:NIFTY29JAN3024000CE']

const setup = rigOf<FakeAngel>({
  plugin: angel,
  session: SESSION,
  start: (options) => FakeAngel.start(options),
  counted: COUNTED_IN_UNITS,
  secrets: SECRETS,
  known: [ACCOUNT.jwt, ACCOUNT.feedToken],
  refusal: 'AB1009',
  refuseAddress(fake, address) {
    fake.signIn.session.refusedAddress = address
  },
  fund: (fake) => fake.exchange.hold(SBIN, 'MARGIN', 5),
  nextDay: (fake) => fake.exchange.nextDay(),
  prices: [
    [INFY, 1500, 0.05],
    [SBIN, 800, 0.05],
    [OPTION, 310, 0.05],
  ],
  option: OPTION,
  /** Angel sends one packet a message; the plugin reads several all the same. */
  feed({ exchange, feeds }, clock) {
    const packetOf = (key: string) => {
      const scrip = CATALOGUE.find((row) => row.key === key)
      const price = exchange.price(key)
      if (!scrip || !price) throw new Error(`${key} is not listed`)
      return { ltp: price.ltp, bytes: packet(scrip, price, 3, clock.now()) }
    }
    return {
      message() {
        const [cash, other] = [packetOf(INFY), packetOf(SBIN)]
        const bytes = Buffer.concat([cash.bytes, other.bytes])
        return { bytes, cutBytes: 5, cash: cash.ltp, other: other.ltp }
      },
      send: (bytes) => feeds.sendRaw(bytes),
      cut: () => feeds.disconnectAll(),
    }
  },
})

runBrokerConformance('angel', setup)
