import type { AnswerOf, Refusal } from '../../../client/endpoints.js'
import { type PositionRecord, positionRecords } from '../../../client/records.js'
import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { failureOf } from '../../http/client.js'
import { confirmAct, keyedDesk, type Look } from '../../io/confirm.js'
import { countText } from '../../output/count.js'
import type { Column } from '../../output/output.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf } from '../market/quote.js'
import { isQueued, KEY_OPTION, sendChange, showQueued, trySendChange } from '../order/send.js'
import { POSITION_COLUMNS, positions } from './account-lists.js'

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
    const { body: open } = await context.apiRead('openposition', { ...position, strategy })
    const held = Number(open.quantity)
    if (held === 0) {
      context.out.note(`There is no open ${product} position in ${position.exchange}:${position.symbol}.`)
      return EXIT.done
    }
    // The smart order itself checks the position again, so nothing is sold twice.
    const order = { action: held > 0 ? 'SELL' : 'BUY', quantity: 0, position_size: 0, pricetype: 'MARKET' }
    const { body } = await sendChange(context, input, 'placesmartorder', { ...position, strategy, ...order })
    if (isQueued(body)) return showQueued(context, body)
    await context.out.record({
      record: body,
      fields: [{ key: 'orderid', title: 'ORDER' }, { key: 'mode' }, { key: 'message' }],
      id: 'orderid',
    })
    context.out.note('Closed. Next: svc position list')
    return EXIT.done
  },
}

/** The outcome of each position, when not all were closed. */
const CLOSURES = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'product' },
  { key: 'status', kind: 'status' },
  { key: 'orderid', title: 'ORDER' },
  { key: 'message' },
] as const satisfies readonly Column[]

type Closed = Partial<AnswerOf<'closeposition'>> | Refusal
type Closure = { readonly [Key in (typeof CLOSURES)[number]['key']]?: unknown }

/**
 * Shows the answer as a document if requested, also for a refusal, because it lists the open positions;
 * otherwise as rows.
 */
async function showClosures({ out, settings }: Context, body: Closed): Promise<void> {
  const { format } = settings
  if (format === 'name') return
  if (format !== undefined) await out.record({ record: body, fields: [], id: 'message' })
  else if (body.results !== undefined) {
    await out.list({
      rows: body.results.map((row): Closure => row),
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
    await confirmAct(context, 'Close every position at the market', () => openPositions(context))
    const request = { strategy: input.text('strategy') ?? 'cli' }
    const { answer, refused } = await trySendChange(context, input, 'closeposition', request)
    const { body } = answer
    if (refused && body.results === undefined) throw refused
    await showClosures(context, body)
    if (refused) throw failureOf(answer, { changes: true, followUp: 'Check with: svc position list' })
    context.out.note(body.message ?? 'Closed.')
    return (body.failed_closures ?? 0) > 0 ? EXIT.refused : EXIT.done
  },
}

/** Returns what the command would change. */
export async function openPositions(context: Context): Promise<Look<PositionRecord>> {
  const desk = await keyedDesk(context)
  const rows = positionRecords((await context.apiRead('positionbook')).body).filter(
    ({ quantity }) => quantity !== 0,
  )
  return {
    desk,
    facts: [countText(rows.length, 'open position')],
    value: rows.reduce((sum, { quantity, ltp }) => sum + Math.abs(quantity) * ltp, 0),
    list: { rows, columns: POSITION_COLUMNS },
  }
}

export const position: CommandSpec = {
  name: 'position',
  summary: 'Positions and their profit and loss.',
  examples: [...positions.examples, 'position close SBIN NSE'],
  verbs: [positions, close, closeAll],
}
