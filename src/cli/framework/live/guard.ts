import { isObject, textMember } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { requestTo } from '../../../client/routes.js'
import { requestText } from '../../../views/orders/request.js'
import { rupees, visible } from '../../../views/table/cells.js'
import type { ShownContext } from '../../contexts/target.js'
import type { Call, Client } from '../../http/client.js'
import type { Io } from '../../io/io.js'
import type { Prompts } from '../../io/prompts.js'
import { colours } from '../../output/colours.js'
import { CliError } from '../errors.js'
import { EXIT } from '../exit-codes.js'
import type { GlobalSettings } from '../globals.js'
import { type LiveEffect, liveEffect } from './changes.js'

type Mode = 'live' | 'analyze'

/** Where orders go now, and when a terminal asks before a change. */
export interface OrderDestination {
  mode: Mode
  order_mode: 'auto' | 'semi_auto'
  broker: string
  account: string | null
  confirm_live: 'never' | 'always' | number
}

interface GuardParts {
  io: Io
  settings: GlobalSettings
  prompts: Prompts
  /** Returns a client that is not guarded. */
  client(): Client
  /** Returns the context that an announcement names. */
  context(): ShownContext | undefined
}

/** Where orders go, with the value of the change; the value is undefined if it cannot be known. */
interface Priced {
  destination: OrderDestination
  value: number | undefined
  /** The request names an instrument that is not listed: the change itself is refused, and nobody is asked first. */
  isRefused?: true
}

/** How long what only takes risk away waits for its question, and its announcement for an answer. */
export const SOON_MS = 2000

/** The answers after which the change itself is refused with the right words. */
const LEFT_TO_THE_CHANGE: readonly number[] = [EXIT.denied, EXIT.noDaemon, EXIT.notFound, EXIT.usage]

/**
 * The one rule for changes while orders are live. It announces each command that touches trading once, on stderr, and
 * asks on a terminal where the setting CONFIRM_LIVE says so. A script is never asked. With --no-input at a terminal, what would be asked is
 * refused.
 */
export class LiveGuard {
  readonly #parts: GuardParts
  #destination: OrderDestination | undefined
  #isAnnounced = false
  #mode: Mode | undefined
  /** True once the command may cancel and close: it was asked about, or asks in its own words. */
  #mayEnd = false
  /** The calls that have passed. */
  readonly #passed = new WeakSet<Call>()

  constructor(parts: GuardParts) {
    this.#parts = parts
  }

  /**
   * Announces a change, and asks where it must.
   * @returns the one mode that the change is for; undefined if the command has shown none
   * @throws CliError if the answer is no
   */
  async before(call: Call): Promise<Mode | undefined> {
    await this.#ask(call)
    return this.#mode
  }

  /** Sends the changes of this command in one mode alone, which it has shown or checked them in. The first one counts. */
  bind(mode: Mode): void {
    this.#mode ??= mode
  }

  async #ask(call: Call): Promise<void> {
    const effect = isDryRun(call) ? undefined : liveEffect(call)
    if (effect === undefined || effect === 'less' || this.#passed.has(call)) return
    this.#passed.add(call)
    if (effect === 'end') return this.#askToEnd(call)
    const { prompts, settings } = this.#parts
    const isAsked = this.#isAsked
    const priced = await this.#priced(call, isAsked && effect === 'order')
    if (priced === undefined) {
      if (isAsked && effect !== 'change') await prompts.ask('Where orders go is not known. Go on')
      return
    }
    const { destination, value } = priced
    if (destination.mode !== 'live') return
    // The daemon refuses it, too; an older one does not know the guard.
    if (settings.onlyMode === 'analyze' || this.#mode === 'analyze') throw liveOrdersOnly()
    await this.announce(destination)
    const isQueued = call.path.startsWith('/api/v1/') && destination.order_mode === 'semi_auto'
    if (isAsked && !priced.isRefused && needsAnswer(effect, priced, isQueued)) {
      this.bind(destination.mode)
      await prompts.ask(questionFor(effect, destination.broker, { value, body: call.body }))
    }
  }

  async #askToEnd(call: Call): Promise<void> {
    const isCancelled = call.path.includes('cancel')
    const destination = this.#mayEnd ? undefined : await this.beforeEnd(call)
    if (destination === undefined) return
    await this.announce(destination)
    this.bind(destination.mode)
    await this.#parts.prompts.ask(
      `${isCancelled ? 'Cancel' : 'Close'} it LIVE at ${visible(destination.broker)}`,
    )
  }

  /**
   * Lets the command cancel and close, as often as it likes: it asks once, in its own words.
   * @param call a request with the credential of the command
   * @returns where orders go, if a person is to be asked. A cancel or a close does not wait for a late answer: without one, it is
   * sent without a question
   */
  async beforeEnd(call: Call): Promise<OrderDestination | undefined> {
    this.#mayEnd = true
    // The daemon refuses it.
    if (this.#parts.settings.onlyMode === 'analyze') return undefined
    const priced = this.#isAsked ? await this.#priced(call, false, SOON_MS) : undefined
    if (priced?.destination.mode !== 'live' || priced.destination.confirm_live === 'never') return undefined
    return priced.destination
  }

  get #isAsked(): boolean {
    const { prompts, settings } = this.#parts
    return this.#isAtTerminal && !settings.yes && !prompts.hasConfirmed
  }

  /** With --no-input a question stays one: the command fails instead, and names --yes. */
  get #isAtTerminal(): boolean {
    const { io, settings } = this.#parts
    return settings.interactive || (!settings.input && io.stdin.isTty && io.stderr.isTty)
  }

  /** Announces a change that only takes risk away, unless it was asked about. It waits for nothing, so it was made already. */
  async after(call: Call): Promise<void> {
    const effect = liveEffect(call)
    if (this.#isAnnounced || this.#parts.settings.quiet || (effect !== 'less' && effect !== 'end')) return
    const priced = await this.#priced(call, false, SOON_MS)
    if (priced !== undefined) await this.announce(priced.destination)
  }

  /** Says once that orders are live, with the broker and the account. */
  async announce(destination: OrderDestination): Promise<void> {
    const { io, settings } = this.#parts
    if (this.#isAnnounced || settings.quiet || destination.mode !== 'live') return
    io.stderr.write(`${(await this.headline(destination)).join('  ')}\n`)
  }

  /** Returns the words of the announcement, which the caller shows: the changes after it are for its mode alone. */
  async headline({ account, broker, mode }: OrderDestination): Promise<string[]> {
    const { io, settings } = this.#parts
    this.bind(mode)
    const paint = await colours(io.stderr, io, settings)
    this.#isAnnounced ||= mode === 'live'
    const context = this.#parts.context()
    return [
      ...(context === undefined ? [] : [paint[context.colour ?? 'bold'](`context ${context.name}`)]),
      mode === 'live' ? paint.red.bold('LIVE') : paint.cyan('ANALYZE (simulated)'),
      `broker ${visible(broker)}`,
      ...(account === null || mode !== 'live' ? [] : [`account ${visible(account)}`]),
    ]
  }

  /** Returns undefined if it cannot be known where orders go. */
  async #priced(call: Call, isValued: boolean, timeoutMs?: number): Promise<Priced | undefined> {
    const isKeyed = call.path.startsWith('/api/v1/')
    if (this.#destination !== undefined && !(isKeyed && isValued)) {
      return { destination: this.#destination, value: undefined }
    }
    try {
      const rest = timeoutMs === undefined ? {} : { timeoutMs }
      const priced = isKeyed ? await this.#valued(call, isValued, rest) : await this.#signedIn(call, rest)
      this.#destination = priced.destination
      return priced
    } catch (thrown) {
      if (!(thrown instanceof CliError) || thrown.exit === EXIT.interrupted) throw thrown
      if (LEFT_TO_THE_CHANGE.includes(thrown.exit)) this.#isAnnounced = true
      return undefined
    }
  }

  async #valued(call: Call, isValued: boolean, rest: Pick<Call, 'timeoutMs'>): Promise<Priced> {
    try {
      return await this.#keyed(call, isValued, rest)
    } catch (thrown) {
      if (!isValued || !(thrown instanceof CliError) || thrown.exit !== EXIT.notFound) throw thrown
      return { ...(await this.#keyed(call, false, rest)), isRefused: true }
    }
  }

  async #keyed(call: Call, isValued: boolean, rest: Pick<Call, 'timeoutMs'>): Promise<Priced> {
    const [, operation = ''] = /^\/api\/v1\/(\w+)$/.exec(call.path) ?? []
    const { apikey, ...request } = { apikey: undefined, ...(isObject(call.body) ? call.body : {}) }
    const key = call.credential?.value ?? textMember({ apikey }, 'apikey') ?? call.headers?.['x-api-key']
    const body = isValued ? { operation, request } : {}
    const route = 'POST /api/v1/desk'
    const made = requestTo(route, { body: { ...body, apikey: key } })
    const asked = { route, ...made, ...rest, ...credentialOf(call), changes: false } as const
    const { data } = (await this.#parts.client().send(asked)).body
    return { destination: data, value: data.value ?? undefined }
  }

  async #signedIn(call: Call, timed: Pick<Call, 'timeoutMs'>): Promise<Priced> {
    const { token } = call
    const route = 'GET /auth/whoami'
    const rest = { ...requestTo(route, {}), ...timed, ...(token !== undefined && { token }), changes: false }
    const { data } = (await this.#parts.client().send({ route, ...rest, ...credentialOf(call) })).body
    return { destination: destinationOf(data), value: undefined }
  }
}

/** Returns where the orders of a signed-in user go. */
export function destinationOf(user: RouteAnswer<'GET /auth/whoami'>['data']): OrderDestination {
  const { account, analyze_mode: isSimulated, broker, confirm_live, order_mode } = user
  return { mode: isSimulated ? 'analyze' : 'live', order_mode, broker, account, confirm_live }
}

/** Returns the credential of a change for a request before it, whose daemon must prove as much. */
const credentialOf = ({ credential }: Call): Pick<Call, 'credential'> =>
  credential === undefined ? {} : { credential }

const isDryRun = ({ headers = {} }: Call) => Object.keys(headers).some((name) => name === 'x-dry-run')

function needsAnswer(effect: LiveEffect, { destination, value }: Priced, isQueued: boolean): boolean {
  const { confirm_live: rule } = destination
  if (rule === 'never') return false
  if (rule === 'always' || effect === 'start') return true
  // A queued order is shown again before it is approved.
  return effect === 'order' && !isQueued && (value === undefined || value > rule)
}

function questionFor(
  effect: LiveEffect,
  broker: string,
  { body, value }: { value: number | undefined; body: unknown },
): string {
  const name = visible(broker)
  if (effect === 'start') return `Start it LIVE: its orders reach ${name}`
  if (effect === 'change') return `Change this while orders reach ${name}`
  const worth = value === undefined ? 'value not known' : `value ${rupees(value)}`
  const what = requestText(body)
  return `Send it LIVE to ${name}${what === undefined ? '' : `: ${visible(what)}`}, ${worth}`
}

function liveOrdersOnly(): CliError {
  const message = 'Orders are live, and this request asks for simulated ones alone; nothing was sent.'
  return new CliError(EXIT.refused, message, { code: 'conflict' })
}
