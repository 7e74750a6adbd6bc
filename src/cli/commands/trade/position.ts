import {
  closablePositions,
  closingOrders,
  type PositionRecord,
  positionRecords,
  valueAt,
} from '../../../client/answers/records.js'
import type { AnswerOf, Refusal } from '../../../client/endpoints.js'
import { ORDER_PRODUCTS } from '../../../core/orders/vocabulary.js'
import { POSITION_COLUMNS } from '../../../views/orders/books.js'
import type { Column } from '../../../views/table/column.js'
import { countText } from '../../../views/text/count.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { EXAMPLE_FUTURE } from '../../help/example-contracts.js'
import { failureOf, type HttpResponse } from '../../http/client.js'
import { confirmAll, confirmEnd, keyedDestination, type Look } from '../../io/confirm.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf, requireListed, type SymbolRef } from '../market/symbols.js'
import { resourceName } from '../order/names.js'
import { ASKED_WHILE_LIVE, SEND_OPTIONS, trySendChange } from '../order/send.js'
import { positions } from './account-lists.js'

const STRATEGY = {
  flags: '--strategy <name>',
  summary: 'strategy of the request in logs and events (default: cli)',
  complete: 'strategies',
} as const

export const close: CommandSpec = {
  name: 'close',
  summary: 'Closes one position at the market.',
  details:
    'Without --product, the only open position of the symbol is closed. Exit 5 when it is open in several products,\n' +
    'exit 4 when it is not open in the product of --product but in another, exit 0 when nothing is open.\n' +
    `${ASKED_WHILE_LIVE}\n` +
    'It only reduces the position. It works while the kill switch is on and, signed in, in semi_auto mode.\n' +
    'A position above the freeze quantity is closed in pieces. When not all of them were placed, the position is listed with\n' +
    'what is left, and the exit status is that of the refusal (5), or 8 when the outcome of one is not known.',
  examples: [
    'position close SBIN NSE',
    'position close NSE:SBIN --product CNC',
    `position close ${EXAMPLE_FUTURE} NFO --product NRML`,
  ],
  arguments: INSTRUMENT_ARGUMENTS,
  options: [
    {
      flags: '--product <product>',
      summary: 'MIS, CNC, NRML or MTF (default: the only open one)',
      complete: ORDER_PRODUCTS,
    },
    STRATEGY,
    ...SEND_OPTIONS,
  ],
  async run(context, input) {
    const strategy = input.text('strategy') ?? 'cli'
    const ref = instrumentOf(input)
    const open = await positionToClose(context, ref, input.text('product')?.toUpperCase())
    if (open === undefined) {
      await requireListed(context, input, { ...ref })
      context.out.note(`There is no open position in ${ref.exchange}:${ref.symbol}.`)
      return EXIT.done
    }
    await confirmEnd(context, `Close ${ref.exchange}:${ref.symbol} at the market`, async () => lookAt([open]))
    // The daemon reads the position again, so it never sells more than is held.
    const position = { ...ref, product: open.product, strategy }
    const { answer, refused } = await trySendChange(context, input, 'closeposition', position)
    const { body } = answer
    if (refused && body.results === undefined) throw refused
    if (refused || (body.failed_closures ?? 0) > 0) return showUnclosed(context, answer, refused)
    const orders = closingOrders(body.results)
    if (context.settings.format === 'name') {
      for (const orderid of orders) context.out.name(resourceName('order', orderid))
      return EXIT.done
    }
    await context.out.record({
      record: { ...body, orderid: orders.join(' ') },
      fields: [{ key: 'orderid', title: 'ORDER' }, { key: 'mode' }],
      id: 'orderid',
    })
    context.out.note(placedText(1))
    return EXIT.done
  },
}

/**
 * Returns the open position that the command means; undefined when the symbol has none.
 * @throws CliError with exit status 4 when it is open in other products only, 5 when in several
 */
async function positionToClose(
  context: Context,
  { symbol, exchange }: SymbolRef,
  product: string | undefined,
): Promise<PositionRecord | undefined> {
  const rows = positionRecords((await context.apiRead('positionbook')).body)
  const open = closablePositions(rows).filter((row) => row.symbol === symbol && row.exchange === exchange)
  const [first, ...others] = product === undefined ? open : open.filter((row) => row.product === product)
  if (open.length === 0 || (first && others.length === 0)) return first
  const products = open.map((row) => `${row.product} (${row.quantity})`).join(' and ')
  if (first) {
    throw new CliError(EXIT.refused, `${exchange}:${symbol} has open positions in ${products}.`, {
      code: 'ambiguous',
      hint: 'Choose one: --product',
    })
  }
  throw new CliError(EXIT.notFound, `${exchange}:${symbol} is not open in ${product}, but in ${products}.`, {
    code: 'not_found',
    hint: 'Choose it: --product',
  })
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

/** Returns the message of the public API, which says "1 positions", for a person. */
const inPerson = (message: string | undefined) => message?.replace(/\b1 positions\b/g, '1 position')

type Row = NonNullable<Closed['results']>[number]

/** Returns a row of the answer; its cell of order ids has those of all pieces. */
function closureOf(row: Row): Closure {
  return { ...row, orderid: closingOrders([row]).join(' ') || undefined }
}

type Closed = Partial<AnswerOf<'closeposition'>> | Refusal

/** The answer that a terminal shows when no position is open: nothing is sent. */
const NONE_OPEN = { status: 'success', message: 'No position is open.' } as const
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
      rows: body.results.map(closureOf),
      columns: CLOSURES,
      id: 'symbol',
      empty: 'No position was open.',
    })
  }
}

/** Shows which positions stay open, and why. @throws CliError when none was closed because of a failure */
async function showUnclosed(
  context: Context,
  answer: HttpResponse<Closed>,
  refused: CliError | undefined,
): Promise<ExitStatus> {
  await showClosures(context, answer.body)
  if (refused) throw failureOf(answer, { changes: true, followUp: 'Check with: svc position list' })
  context.out.note(inPerson(answer.body.message) ?? 'Not closed.')
  return EXIT.refused
}

export const closeAll: CommandSpec = {
  name: 'close-all',
  summary: 'Closes every position at the market. Asks on a terminal.',
  details:
    'It works while the kill switch is on and, signed in, in semi_auto mode.\n' +
    'A position above the freeze quantity is closed in pieces. Exit 0 only when an order is placed for all of every position;\n' +
    'otherwise the positions are listed with their orders and the reasons. Exit 8 when the outcome of an order is not known.',
  examples: ['position close-all', 'position close-all --yes'],
  options: [STRATEGY, ...SEND_OPTIONS],
  async run(context, input) {
    const isAgreed = await confirmAll(context, 'Close every position at the market', () =>
      openPositions(context),
    )
    if (!isAgreed) {
      await showClosures(context, NONE_OPEN)
      context.out.note(NONE_OPEN.message)
      return EXIT.done
    }
    const request = { strategy: input.text('strategy') ?? 'cli' }
    const { answer, refused } = await trySendChange(context, input, 'closeposition', request)
    const { body } = answer
    if (refused && body.results === undefined) throw refused
    if (refused || (body.failed_closures ?? 0) > 0) return showUnclosed(context, answer, refused)
    await showClosures(context, body)
    const placed = body.results?.length ?? body.closed_positions
    context.out.note(placed === undefined ? (inPerson(body.message) ?? 'Closed.') : placedText(placed))
    return EXIT.done
  },
}

/** An order that is placed is not filled yet; the public API says "Squared Off" all the same. */
const placedText = (positions: number) =>
  positions === 0
    ? 'No position was open.'
    : `Closing orders are placed for ${countText(positions, 'position')}. What is still open: svc position list`

/** Returns what the command would change. */
export async function openPositions(context: Context): Promise<Look<PositionRecord>> {
  const destination = await keyedDestination(context)
  const rows = closablePositions(positionRecords((await context.apiRead('positionbook')).body))
  return { destination, ...lookAt(rows) }
}

function lookAt(rows: readonly PositionRecord[]) {
  return {
    facts: [countText(rows.length, 'open position')],
    value: rows.reduce((sum, row) => sum + valueAt(row, row.ltp), 0),
    list: { rows, columns: POSITION_COLUMNS },
  }
}

export const position: NounSpec = {
  examples: [...positions.examples, 'position close SBIN NSE'],
  verbs: [positions, close, closeAll],
}
