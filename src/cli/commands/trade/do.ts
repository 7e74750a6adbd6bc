import { closablePositions, positionRecords } from '../../../client/answers/records.js'
import type { CloseLine, Line, ModifyLine, OrderLine, Refused } from '../../../views/grammar/line.js'
import { parseOrderLine } from '../../../views/grammar/parse.js'
import { orderFacts, previewOf } from '../../../views/grammar/preview.js'
import { type Asks, closeMeant, type MeantOrder, orderMeant } from '../../../views/grammar/resolve.js'
import { visible } from '../../../views/table/cells.js'
import { type CommandSpec, Input, type NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { noteNothingSent } from '../../framework/live/dry-run.js'
import { TOPICS } from '../../help/topics.js'
import { cancel, cancelAll, modify } from '../order/change.js'
import { place } from '../order/place.js'
import { SEND_OPTIONS } from '../order/send.js'
import { close, closeAll } from './position.js'

/** The command that a line stands for: its question, key, record and exit status are those of the line. */
interface Meant {
  name: string
  spec: CommandSpec
  args: readonly (string | readonly string[])[]
  options?: Readonly<Record<string, string | undefined>>
  /** True for a command that takes an idempotency key. */
  isKeyed?: true
  /** True for a command with a dry run of its own. */
  isRehearsed?: true
}

export const doLine: NounSpec = {
  summary: 'Places, closes, cancels and changes orders in the words of a trader, such as b 10 sbin 965.',
  details:
    'A line is short for svc order place, position close, order cancel or order modify: it asks, prints and ends as that\n' +
    'command does. Before that, stderr shows what the line means, with value and margin. A line in which a word is missing,\n' +
    'unclear or unknown is refused, and nothing is sent. A symbol without an exchange is that of the NSE; if the NSE has none of this\n' +
    'name, it is the only one of all exchanges. The line of the key : in svc tui takes the same words.\n\n' +
    TOPICS.grammar().trimEnd(),
  examples: [
    'do "b 10 sbin"',
    'do "b 10 sbin 912.5 cnc" --dry-run',
    'do "s 2l nifty fut" --dry-run',
    'do "x sbin mis"',
    'do "c 250408000989443"',
    'do "m 250408000989443 915"',
  ],
  arguments: [{ syntax: '<line...>', summary: 'the words of the line, in quotes or without' }],
  options: [
    { flags: '-n, --dry-run', summary: 'show what the line means; send nothing' },
    {
      flags: '--strategy <name>',
      summary: 'strategy that the order belongs to (default: cli)',
      complete: 'strategies',
    },
    ...SEND_OPTIONS,
  ],
  async run(context, input) {
    const line = understood(parseOrderLine(input.words(0).join(' ')))
    const meant = await meantBy(context, line)
    const key = input.text('idempotencyKey')
    if (key !== undefined && !meant.isKeyed) {
      throw usageError(`svc ${meant.name} takes no idempotency key.`, 'Leave --idempotency-key out.')
    }
    context.out.note(`This is: ${commandText(meant)}`)
    const isDry = input.flag('dryRun')
    if (isDry && !meant.isRehearsed) {
      noteNothingSent(context, await modeOf(context))
      return EXIT.done
    }
    const options = { ...meant.options, strategy: input.text('strategy'), idempotencyKey: key, dryRun: isDry }
    return meant.spec.run?.(context, new Input(meant.args, options))
  },
}

/** Returns the mode of a request that never waits for approval; undefined where the daemon cannot be asked. */
async function modeOf(context: Context) {
  try {
    return (await context.apiRead('desk')).body.data.mode
  } catch (thrown) {
    if (thrown instanceof CliError) return undefined
    throw thrown
  }
}

/** Returns the command that a line stands for, after its preview. */
async function meantBy(context: Context, line: Line): Promise<Meant> {
  switch (line.act) {
    case 'order':
      return placing(context, line)
    case 'close':
      return closing(context, line)
    case 'modify':
      return modifying(line)
    case 'cancel':
      return { name: 'order cancel', spec: cancel, args: [[line.id]] }
    case 'close-all':
      return { name: 'position close-all', spec: closeAll, args: [], isKeyed: true }
    case 'cancel-all':
      return { name: 'order cancel-all', spec: cancelAll, args: [] }
  }
}

async function placing(context: Context, line: OrderLine): Promise<Meant> {
  const asks = asksOf(context)
  const meant = understood(await orderMeant(line, asks))
  const { action, exchange, price, pricetype, product, quantity, symbol, trigger_price } = meant.order
  await showPreview(context, meant, asks)
  return {
    name: 'order place',
    spec: place,
    args: [[symbol, exchange, action, String(quantity)]],
    options: { type: pricetype, price: written(price), trigger: written(trigger_price), product },
    isKeyed: true,
    isRehearsed: true,
  }
}

/** Shows on stderr where an order goes, with its value. A preview that fails stops nothing: the order is refused in the same words. */
async function showPreview(context: Context, meant: MeantOrder, asks: Asks): Promise<void> {
  if (context.settings.quiet) return
  try {
    const preview = await previewOf(meant, asks)
    const facts = orderFacts(meant, preview).map(visible)
    context.out.note([...(await context.live.headline(preview.desk)), ...facts].join('  '))
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit === EXIT.interrupted) throw thrown
    context.out.note(`There is no preview: ${visible(thrown.message)}`)
  }
}

async function closing(context: Context, line: CloseLine): Promise<Meant> {
  const open = closablePositions(positionRecords((await context.apiRead('positionbook')).body))
  const { exchange, product, symbol } = understood(await closeMeant(line, open, asksOf(context)))
  return {
    name: 'position close',
    spec: close,
    args: [symbol, exchange],
    options: { product },
    isKeyed: true,
  }
}

function modifying({ id, price, trigger }: ModifyLine): Meant {
  const options = { price: written(price), trigger: written(trigger) }
  return { name: 'order modify', spec: modify, args: [id], options, isKeyed: true }
}

const written = (price: number | undefined) =>
  price === undefined || price === 0 ? undefined : String(price)

function asksOf(context: Context): Asks {
  return { call: async (name, body) => (await context.apiRead(name, body)).body }
}

/** Returns a command as somebody types it. */
function commandText({ args, name, options = {} }: Meant): string {
  const given = Object.entries(options).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option} ${value}`],
  )
  return ['svc', name, ...args.flat(), ...given].join(' ')
}

const EXITS = { usage: EXIT.usage, not_found: EXIT.notFound, ambiguous: EXIT.refused } as const

/** Returns what was read of a line. @throws CliError for a line that is not understood */
function understood<T extends object>(read: T | Refused): T {
  if (!isRefused(read)) return read
  const { code, refusal } = read
  if (code === 'usage') throw usageError(refusal, 'See: svc help grammar')
  throw new CliError(EXITS[code], refusal, { code })
}

const isRefused = (read: object): read is Refused => 'refusal' in read
