import { EXCHANGES } from '../../../views/market/exchange.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { showFindings } from '../daemon/checks.js'
import { symbolOf } from '../market/symbols.js'
import { findingsOf, readFacts } from './live-checks.js'
import { askedLimits } from './live-limits.js'

const check: CommandSpec = {
  name: 'check',
  summary: 'Checks what a first day in Live mode needs, and asks for its limits. Sends no order.',
  details:
    'Checks the broker, its session and address, funds, quotes and feed (the data plan), instruments, clock, kill switch and ' +
    'messages. On a terminal it then asks for max_order_value, max_day_loss and price_band_percent where they are not set: Enter ' +
    'accepts the value that it proposes from the funds and from the quote of the symbol, and svc stores it as svc risk set does. ' +
    'Without a terminal, and with --json, it asks nothing: it shows what is missing and the command that sets it. Exit 1 when ' +
    'something fails.',
  examples: ['live check', 'live check INFY NSE', 'live check --json'],
  arguments: [
    {
      syntax: '[symbol]',
      summary: 'the share that you want to trade first: INFY or NSE:INFY (SBIN)',
      complete: 'symbols',
    },
    { syntax: '[exchange]', summary: 'its exchange (NSE)', complete: EXCHANGES },
  ],
  async run(context, input) {
    const { symbol, exchange = 'NSE' } = symbolOf(input.argument(0) ?? 'SBIN', input.argument(1))
    const facts = await readFacts(context, symbol, exchange)
    if (context.settings.interactive && context.settings.format === undefined) {
      const limits = await askedLimits(context, facts)
      if (Object.keys(limits).length > 0) {
        facts.risk = (await context.change('PUT /risk', { body: limits })).body.data
      }
    }
    const exit = await showFindings(context, findingsOf(facts))
    context.out.note(
      exit === EXIT.done
        ? 'Ready for Live mode. Next: svc analyze off'
        : 'Not ready for Live mode. Do what stands beside each failure, then: svc live check',
    )
    return exit
  },
}

export const live: NounSpec = {
  summary: 'Live mode: what must be right before orders reach the exchange.',
  examples: ['live check'],
  verbs: [check],
}
