import type { EndpointName } from '../../client/endpoints.js'
import { rupees } from '../../views/table/cells.js'
import type { ListView } from '../../views/table/column.js'
import type { Input } from '../framework/command/command.js'
import type { OptionSpec } from '../framework/command/option.js'
import type { Context, UncheckedBody } from '../framework/context.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { destinationOf, type OrderDestination, SOON_MS } from '../framework/live/guard.js'

/** The option of all commands that can let orders reach the broker. */
export const LIVE_OPTION: OptionSpec = { flags: '--confirm <word>', summary: 'LIVE, for scripts' }

/** The rows that a question shows; the rest is counted. */
const MOST_ROWS = 20

/** The facts that a person sees before the question about a dangerous act. */
export interface Look<Row extends object> {
  destination: OrderDestination
  /** Facts in words: "3 positions". */
  facts: readonly string[]
  /** The value of the orders or positions, in rupees. */
  value?: number
  list?: Pick<ListView<Row>, 'rows' | 'columns'>
  /** Every row is shown, however many there are. */
  showsAll?: true
}

/** Returns where orders go, for a command with an API key. */
export async function keyedDestination(context: Context): Promise<OrderDestination> {
  return (await context.apiRead('desk')).body.data
}

/** Returns where orders go, for a command with a session. */
export async function sessionDestination(context: Context): Promise<OrderDestination> {
  return destinationOf((await context.read('GET /auth/whoami')).body.data)
}

/**
 * Shows the facts of a dangerous act at a terminal and asks. `--yes` answers in advance; then nothing is
 * read or shown. A script without `--yes` is refused (exit 2).
 */
export async function confirmAct<Row extends object>(
  context: Context,
  question: string,
  look: () => Promise<Look<Row>>,
): Promise<void> {
  await showWhenAsked(context, look)
  await context.prompts.confirm(question)
}

/**
 * Like {@link confirmAct}, for an act on everything that is there.
 * @returns false if a person would be asked, and nothing is there
 */
export async function confirmAll<Row extends object>(
  context: Context,
  question: string,
  look: () => Promise<Look<Row>>,
): Promise<boolean> {
  const seen = await showWhenAsked(context, look)
  if (seen?.list?.rows.length === 0) return false
  await context.prompts.confirm(question)
  return true
}

/**
 * Asks once before a command cancels or closes what it names, at a terminal and while orders are live. No script is asked.
 * @param look returns undefined if nothing of it is there: the daemon refuses it without a question
 */
export async function confirmEnd<Row extends object>(
  context: Context,
  question: string,
  look: () => Promise<Omit<Look<Row>, 'destination'> | undefined>,
): Promise<void> {
  context.requireKey()
  const destination = await context.live.beforeEnd(context.apiCall('desk', {}))
  if (destination === undefined) return
  const seen = await look().catch((thrown: unknown) => {
    // It is asked all the same, without the list.
    if (!(thrown instanceof CliError) || thrown.exit === EXIT.interrupted) throw thrown
    return { facts: [] }
  })
  if (seen === undefined) return
  await showLook(context, { destination, ...seen })
  await context.prompts.confirm(question)
}

/** Reads for a question that must not wait long. */
export function readSoon<N extends EndpointName>(context: Context, name: N, body: UncheckedBody<N> = {}) {
  return context.client().send({ ...context.apiCall(name, body), timeoutMs: SOON_MS })
}

/** A severe act: the user types a word. */
interface SevereAct<Row extends object> {
  word: string
  /** The question. In a script the broker is not read: "the broker". */
  question(broker: string): string
  look(): Promise<Look<Row>>
}

/** Like {@link confirmAct}, for a severe act. Only `--confirm WORD` answers in advance: `--yes` does not say what it agrees to. */
export async function confirmSevere<Row extends object>(
  context: Context,
  input: Input,
  { word, question, look }: SevereAct<Row>,
): Promise<void> {
  const given = input.text('confirm')
  const seen = given === undefined ? await showToPerson(context, look) : undefined
  await context.prompts.confirmWord(question(seen?.destination.broker ?? 'the broker'), word, given)
}

/** Asks for the word LIVE, unless orders are simulated. */
export async function confirmWhileLive(
  context: Context,
  input: Input,
  question: (broker: string) => string,
): Promise<void> {
  const destination = await sessionDestination(context)
  if (destination.mode === 'analyze') return
  await confirmSevere(context, input, {
    word: 'LIVE',
    question,
    look: async () => ({ destination, facts: [] }),
  })
}

/** Shows the look if a person will be asked. @returns what was shown */
async function showWhenAsked<Row extends object>(
  context: Context,
  look: () => Promise<Look<Row>>,
): Promise<Look<Row> | undefined> {
  return context.settings.yes ? undefined : showToPerson(context, look)
}

/** Shows the look at a terminal. @returns what was shown */
async function showToPerson<Row extends object>(
  context: Context,
  look: () => Promise<Look<Row>>,
): Promise<Look<Row> | undefined> {
  if (!context.settings.interactive) return undefined
  try {
    const seen = await look()
    await showLook(context, seen)
    return seen
  } catch (thrown) {
    // A credential that may act, but not read, still gets its question.
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.denied) throw thrown
    await context.out.warn(`this credential may not read what the command would change: ${thrown.message}`)
    return undefined
  }
}

/** Shows where orders go, if a person will be asked. */
export async function showMode(context: Context): Promise<void> {
  await showWhenAsked(context, async () => ({ destination: await sessionDestination(context), facts: [] }))
}

/** Shows facts after an act, with the next step. A failed read is not an error of the act. */
export async function tellLook<Row extends object>(
  context: Context,
  look: () => Promise<Look<Row>>,
  next: string,
): Promise<void> {
  const seen = await look().catch(() => undefined)
  if (seen?.list === undefined || seen.list.rows.length === 0) return
  await showLook(context, seen)
  context.out.note(next)
}

/** Shows the facts of a dangerous act, and the first rows of its list: the rest is counted. */
export async function showLook<Row extends object>(
  context: Context,
  { destination, facts, value, list, showsAll }: Look<Row>,
): Promise<void> {
  const { io, live, out } = context
  const worth = value === undefined ? [] : [`value ${rupees(value)}`]
  io.stderr.write(`${[...(await live.headline(destination)), ...facts, ...worth].join('  ')}\n`)
  if (list !== undefined && list.rows.length > 0)
    await out.preview(list, showsAll ? list.rows.length : MOST_ROWS)
}
