import { dhan } from '../../../../src/core/brokers/dhan/index.js'
import { scripOf } from '../../../fixtures/fake-dhan/catalogue.js'
import { fullPacket } from '../../../fixtures/fake-dhan/packets.js'
import { ACCOUNT, FakeDhan } from '../../../fixtures/fake-dhan/server.js'
import { COUNTED_IN_UNITS, rigOf } from '../conformance/fake-rig.js'
import { runBrokerConformance } from '../conformance.js'
import { SECRETS, SESSION } from './rig.js'

const [INFY, SBIN, OPTION] = ['NSE_EQ:1594', 'NSE_EQ:3045', 'NSE_FNO:53002']

const setup = rigOf<FakeDhan>({
  plugin: dhan,
  session: SESSION,
  start: (options) => FakeDhan.start(options),
  // What Dhan counts of commodities and currencies is not settled, so nothing is traded there.
  counted: COUNTED_IN_UNITS,
  secrets: SECRETS,
  known: [ACCOUNT.accessToken],
  refusal: 'DH-905',
  refuseAddress(fake, address) {
    fake.signIn.refusedAddress = address
  },
  fund: (fake) => fake.exchange.hold(SBIN, 'MTF', 5),
  nextDay: (fake) => fake.exchange.nextDay(),
  prices: [
    [INFY, 1500, 0.05],
    [SBIN, 800, 0.05],
    [OPTION, 310, 0.05],
  ],
  option: OPTION,
  feed({ exchange, feeds }, clock) {
    const packetOf = (id: string) => {
      const scrip = scripOf('NSE_EQ', id)
      const price = scrip && exchange.price(scrip.key)
      if (!scrip || !price) throw new Error(`${id} is not listed`)
      return { ltp: price.ltp, bytes: fullPacket(scrip, price, clock.now()) }
    }
    return {
      message() {
        const [cash, other] = [packetOf('1594'), packetOf('3045')]
        const bytes = Buffer.concat([cash.bytes, other.bytes])
        return { bytes, cutBytes: 5, cash: cash.ltp, other: other.ltp }
      },
      send: (bytes) => feeds.sendRaw(bytes),
      cut: () => feeds.disconnectAll(),
    }
  },
})

runBrokerConformance('dhan', setup)
