import { silentLogger } from '../../../src/core/logging/index.js'
import { Sandbox } from '../../../src/core/sandbox/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { almanac, findInstrument, orderOf, quoteOf, ScriptedMarket, TEN_O_CLOCK, USER } from './harness.js'

/** Places orders endlessly on the file given as argument and prints the answers, until it is killed. */
const [file = ''] = process.argv.slice(2)
const market = new ScriptedMarket()
market.set(quoteOf({ symbol: 'SBIN', exchange: 'NSE' }, '250/249.9/250.2'))
const sandbox = await Sandbox.open({
  db: await Database.open({ file, schema: 'sandbox' }),
  clock: new VirtualClock(TEN_O_CLOCK),
  instruments: { find: findInstrument, freezeQuantity: () => undefined },
  calendar: almanac(),
  market,
  publish: ({ data }) => process.stdout.write('orderid' in data ? `event ${data.orderid}\n` : ''),
  log: silentLogger,
})
await sandbox.start()
const client = async (action: 'BUY' | 'SELL') => {
  for (let quantity = 1; ; quantity++) {
    const outcome = await sandbox.place(USER, orderOf({ action, quantity: (quantity % 9) + 1 }))
    if (outcome.ok) process.stdout.write(`ack ${outcome.orderId}\n`)
  }
}
await Promise.all([client('BUY'), client('SELL'), client('BUY'), client('SELL')])
