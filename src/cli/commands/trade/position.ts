import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { type Answer, failureOf } from '../../http/client.js'
import { numberOf, type Row, rowsOf, textOf } from '../../http/json.js'
import type { Column } from '../../output/output.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf } from '../market/quote.js'
import { KEY_OPTION, queuedId, sendChange, showQueued } from '../order/send.js'
import { positions } from './account-lists.js'

const STRATEGY = { flags: '--strategy <name>', summary: 'strategy of the orders (default: cli)' }

const close: CommandSpec = {
  name: 'close',
  summary: 'Closes one position at the market.',
  examples: ['position close SBIN NSE', 'position close NIFTY23NOV26FUT NFO --product NRML'],
  arguments: INSTRUMENT_ARGUMENTS,
  options: [{ flags: '--product <product>', summary: 'MIS (default), CNC or NRML' }, STRATEGY, KEY_OPTION],
  async run(context, input) {
    const product = (input.text('product') ?? 'MIS').toUpperCase()
    const strategy = input.text('strategy') ?? 'cli'
    const position = { ...instrumentOf(input), product }
    const held =
      numberOf((await context.apiRead('openposition', { ...position, strategy })).body, 'quantity') ?? 0
    if (held === 0) {
      context.out.note(`There is no open ${product} position in ${position.exchange}:${position.symbol}.`)
      return EXIT.done
    }
    // The smart order itself checks the position again, so nothing is sold twice.
    const order = { action: held > 0 ? 'SELL' : 'BUY', quantity: 0, position_size: 0, pricetype: 'MARKET' }
    const { body } = await sendChange(context, input, 'placesmartorder', { ...position, strategy, ...order })
    if (queuedId(body) !== undefined) return showQueued(context, body)
    const fields = [{ key: 'orderid', title: 'ORDER' }, { key: 'mode' }, { key: 'message' }]
    await context.out.record({ record: body, fields, id: 'orderid' })
    context.out.note('Closed. Next: svc position list')
    return EXIT.done
  },
}

/** How each position ended, where not all were closed. */
const CLOSURES: readonly Column[] = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'product' },
  { key: 'status', kind: 'status' },
  { key: 'orderid', title: 'ORDER' },
  { key: 'message' },
]

/** The answer as a document where one was asked for, a refusal too: it says what is still open. Else its rows. */
async function showClosures({ out, settings }: Context, body: Row): Promise<void> {
  const { format = 'table' } = settings
  if (format === 'name') return
  if (format !== 'table') await out.record({ record: body, fields: [], id: 'status' })
  else if (body.results !== undefined) {
    await out.list({
      rows: rowsOf(body.results),
      columns: CLOSURES,
      id: 'symbol',
      empty: 'No position was open.',
    })
  }
}

const closeAll: CommandSpec = {
  name: 'close-all',
  summary: 'Closes every position at the market. Asks on a terminal.',
  examples: ['position close-all', 'position close-all --yes'],
  options: [STRATEGY, KEY_OPTION],
  async run(context, input) {
    await context.prompts.confirm('Close every position at the market')
    const request = { strategy: input.text('strategy') ?? 'cli' }
    const detailed = ({ body }: Answer) => body.results !== undefined
    const answer = await sendChange(context, input, 'closeposition', request, detailed)
    const { body, status } = answer
    await showClosures(context, body)
    if (status >= 400) throw failureOf(answer, { changes: true, followUp: 'Look: svc position list' })
    context.out.note(textOf(body, 'message') ?? 'Closed.')
    return (numberOf(body, 'failed_closures') ?? 0) > 0 ? EXIT.refused : EXIT.done
  },
}

export const position: CommandSpec = {
  name: 'position',
  summary: 'Positions and their profit and loss.',
  examples: [...positions.examples, 'position close SBIN NSE'],
  verbs: [positions, close, closeAll],
}
