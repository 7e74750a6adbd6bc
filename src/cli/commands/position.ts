import type { CommandSpec } from '../command.js'
import { EXIT } from '../exit-codes.js'
import { numberOf, textOf } from '../json.js'
import { positions } from './books.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf } from './market.js'
import { KEY_OPTION, queuedId, sendChange, showQueued } from './order/send.js'

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
    // The position is looked at once more by the smart order itself: nothing is sold twice.
    const order = { action: held > 0 ? 'SELL' : 'BUY', quantity: 0, position_size: 0, pricetype: 'MARKET' }
    const { body } = await sendChange(context, input, 'placesmartorder', { ...position, strategy, ...order })
    if (queuedId(body) !== undefined) return showQueued(context, body)
    const fields = [{ key: 'orderid', title: 'ORDER' }, { key: 'mode' }, { key: 'message' }]
    await context.out.record({ record: body, fields, id: 'orderid' })
    context.out.note('Closed. Next: svc position list')
    return EXIT.done
  },
}

const closeAll: CommandSpec = {
  name: 'close-all',
  summary: 'Closes every position at the market. Asks on a terminal.',
  examples: ['position close-all', 'position close-all --yes'],
  options: [STRATEGY, KEY_OPTION],
  async run(context, input) {
    await context.prompts.confirm('Close every position at the market')
    const { body } = await sendChange(context, input, 'closeposition', {
      strategy: input.text('strategy') ?? 'cli',
    })
    await context.out.acted(body, textOf(body, 'message') ?? 'Closed.')
    return (numberOf(body, 'failed_closures') ?? 0) > 0 ? EXIT.refused : EXIT.done
  },
}

export const position: CommandSpec = {
  name: 'position',
  summary: 'Positions and their profit and loss.',
  examples: [...positions.examples, 'position close SBIN NSE'],
  verbs: [positions, close, closeAll],
}
