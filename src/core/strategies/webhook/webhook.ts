import { messageOf, publicMessageOf } from '../../errors/index.js'
import type { InstrumentCatalog } from '../../instruments/index.js'
import type { Logger } from '../../logging/index.js'
import { safeEqual, sha256Hex } from '../../secrets/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { webhookTokenHash } from '../catalog/token.js'
import { RUN_MODES, type RunMode } from '../config/vocabulary.js'
import type { RunService } from '../runs/index.js'
import type { StrategyHistory } from '../store/history-store.js'
import { StrategyStore } from '../store/strategy-store.js'
import type { NewWebhookEvent, WebhookCallRow, WebhookEventStore } from '../store/webhook-event-store.js'
import { isAllowed } from './allow-list.js'
import { combined, type Refusal, refusal, signalAccepted, TEXTS, type WebhookAnswer } from './answer.js'
import { duplicate, isDueStop, isOneOf, keyOf, refusalOf } from './batch.js'
import { ClaimStore } from './claim-store.js'
import { type Delivery, eventOf, type Known, type Read } from './delivery.js'
import { WebhookRuns } from './runs.js'
import { SENDERS } from './senders/index.js'
import {
  type AcceptedSignal,
  checkSignal,
  type SignalRequest,
  type WebhookInstruments,
  wordOf,
} from './signal.js'
import { WebhookStrategies, type WebhookStrategy } from './strategies.js'

interface WebhookParts {
  strategies: WebhookStrategies
  claims: ClaimStore
  events: Pick<WebhookEventStore, 'call' | 'insert'>
  runs: WebhookRuns
  instruments: WebhookInstruments
  clock: Pick<Clock, 'now' | 'since'>
  log: Logger
}

interface EntryCheck {
  readonly name: string
  check(known: Known): Refusal | undefined
}

/** The checks of a delivery with a valid token before its body is read, in their order. */
const ENTRY_CHECKS: readonly EntryCheck[] = [
  {
    name: 'lock',
    check: ({ strategy }) =>
      strategy.webhookLocked ? refusal('rejected_locked', TEXTS.locked, TEXTS.lockedError) : undefined,
  },
  {
    name: 'allow-list',
    check: ({ delivery: { address, isAddressCertain }, strategy }) => {
      const isListed = isAllowed(address, strategy.webhookIpAllowlist)
      if (isListed && (isAddressCertain || strategy.webhookIpAllowlist.length === 0)) return undefined
      return refusal('rejected_ip', TEXTS.address, isListed ? TEXTS.addressError : undefined)
    },
  },
]

/** The answer of the engine, and the cause of its refusal for the audit. */
interface Acted {
  readonly answer: WebhookAnswer
  readonly error?: string | undefined
}

/**
 * The public webhook of strategies. Each delivery passes the checks in a fixed order, and the first refusal ends it:
 * token, {@link ENTRY_CHECKS}, body, then BATCH_CHECKS or SIGNAL_CHECKS by the kind of the strategy. The audit
 * records every outcome. An accepted delivery is durable before its orders leave and before its answer.
 */
export class StrategyWebhook {
  constructor(private readonly parts: WebhookParts) {}

  async deliver(delivery: Delivery): Promise<WebhookAnswer> {
    const receivedAt = this.parts.clock.now()
    const first = await this.#entering(delivery, receivedAt)
    if ('refused' in first) return this.#refuse(first.known, first.refused)
    const read = await delivery.body()
    if ('problem' in read) return this.#refuse(first.known, refusal('rejected_payload', read.problem))
    // A sender may hold its body back for a minute: what counts is what holds now.
    const now = await this.#entering(delivery, receivedAt)
    if ('refused' in now) return this.#refuse(now.known, now.refused)
    const whole = { ...now.known, body: read.body }
    return whole.strategy.kind === 'batch' ? this.#batch(whole) : this.#signals(whole)
  }

  /** Looks the strategy of a delivery up, and makes the checks that need no body. */
  async #entering(
    delivery: Delivery,
    receivedAt: number,
  ): Promise<{ known: Known } | { known: Parameters<typeof eventOf>[0]; refused: Refusal }> {
    const strategy = await strategyOf(this.parts.strategies, delivery.token)
    if (!strategy) return { known: { delivery, receivedAt }, refused: refusal('rejected_token', TEXTS.token) }
    const known: Known = { delivery, receivedAt, strategy }
    for (const { check } of ENTRY_CHECKS) {
      const refused = check(known)
      if (refused) return { known, refused }
    }
    return { known }
  }

  async #batch(read: Read): Promise<WebhookAnswer> {
    const { body, strategy } = read
    const { claims } = this.parts
    const command = { strategy, action: wordOf(body.action), mode: wordOf(body.mode) }
    const refused = await refusalOf(command, this.parts)
    if (refused) return this.#refuse(read, refused)
    const { action, mode } = command
    const key = keyOf(command)
    const isStart = action === 'start' && isOneOf(RUN_MODES, mode)
    const isDue = isDueStop(command, this.parts.runs)
    const admitted = await this.#recorded(read, !isStart, () => claims.admit(key, eventOf(read, 'ok'), isDue))
    if ('refused' in admitted) return this.#refuse(read, admitted.refused)
    const { eventId } = admitted
    // Another delivery took the key since the check.
    if (eventId === null) return this.#refuse(read, duplicate())
    const answer = await this.#act(read, () =>
      isStart ? this.#start(strategy, mode, eventId) : this.#stop(strategy),
    )
    if (eventId !== undefined) {
      const settled = answer.result === 'ok'
      const end = settled ? claims.settle(key, eventId) : claims.release(key, eventId)
      const done = end.catch((error: unknown) => this.#note('strategy.webhook.claim', error))
      // The run of a start names its delivery, so a crash before the claim is settled does not free it.
      if (!settled) await done
    }
    return answer
  }

  async #start({ id }: WebhookStrategy, mode: RunMode, eventId: number | undefined): Promise<Acted> {
    const { runId } = await this.parts.runs.start(id, mode, eventId)
    return { answer: { result: 'ok', message: TEXTS.started, strategyId: id, runId } }
  }

  async #stop({ id }: WebhookStrategy): Promise<Acted> {
    const { exits, message, ok, runId, stopPending } = await this.parts.runs.stop(id)
    const facts = { strategyId: id, runId, stopPending, exits }
    return ok
      ? { answer: { result: 'ok', message: TEXTS.stopped, ...facts } }
      : { answer: { result: 'rejected_engine_error', message: TEXTS.engine, ...facts }, error: message }
  }

  async #signals(read: Read): Promise<WebhookAnswer> {
    const { body, delivery, strategy } = read
    const requests = SENDERS[delivery.sender].translate(body, strategy)
    if ('problem' in requests) {
      return this.#refuse(read, refusal('rejected_invalid_action', requests.problem))
    }
    const [first, ...others] = requests
    const end = async (request: SignalRequest) => ({
      symbol: typeof request.symbol === 'string' ? request.symbol : null,
      answer: await this.#signal({ ...read, action: request.action }, request),
    })
    const ends: Parameters<typeof combined>[0] = [await end(first)]
    for (const request of others) ends.push(await end(request))
    return combined(ends)
  }

  async #signal(read: Read, request: SignalRequest): Promise<WebhookAnswer> {
    const { receivedAt, strategy } = read
    const { events, instruments } = this.parts
    const checked = checkSignal(request, strategy, { instruments, now: receivedAt })
    if ('result' in checked) return this.#refuse(read, checked)
    const { note, signal } = checked
    const isExit = !signal.endsWith('entry')
    const call = events.call(eventOf(read, 'ok'))
    const acting = note === undefined ? this.#send(strategy, checked, call) : undefined
    await acting?.catch(() => undefined)
    // An order takes the row along. A signal without an order leaves it to be stored alone.
    const recorded = await this.#recorded(read, isExit, () => call.first.store().then(() => call.id))
    if ('refused' in recorded) return this.#refuse(read, recorded.refused)
    if (!acting) return { result: 'ok', message: signalAccepted(note), strategyId: strategy.id }
    return this.#act(read, () => acting)
  }

  async #send(
    strategy: WebhookStrategy,
    { leg, signal }: AcceptedSignal,
    call: WebhookCallRow,
  ): Promise<Acted> {
    const { id } = strategy
    const outcome = await this.parts.runs.signal(strategy, leg.id, signal, call)
    if (outcome.ok) {
      const { note, runId } = outcome
      return { answer: { result: 'ok', message: signalAccepted(note), strategyId: id, runId } }
    }
    const message = outcome.message ?? TEXTS.signalRefused
    return { answer: { result: 'rejected_engine_error', message, strategyId: id } }
  }

  /** Lets the engine act. A refusal adds a second row to that of the accepted delivery. */
  async #act(read: Read, act: () => Promise<Acted>): Promise<WebhookAnswer> {
    const { answer, error } = await act().catch((fault: unknown): Acted => {
      this.#note('strategy.webhook.engine', fault)
      const { kind, id: strategyId } = read.strategy
      const message = kind === 'batch' ? TEXTS.engine : TEXTS.signalRefused
      return {
        answer: { result: 'rejected_engine_error', message, strategyId },
        error: publicMessageOf(fault),
      }
    })
    if (answer.result === 'rejected_engine_error') {
      await this.#append(eventOf(read, answer.result, error ?? answer.message))
    }
    return answer
  }

  /**
   * Stores the row of an accepted delivery. A delivery that only reduces positions goes on without it: a full disk
   * must not keep anybody in a position.
   */
  async #recorded<T extends number | null>(
    read: Read,
    reduces: boolean,
    store: () => Promise<T>,
  ): Promise<{ eventId: T | undefined } | { refused: Refusal }> {
    try {
      return { eventId: await store() }
    } catch (error) {
      this.#note('strategy.webhook.audit', error)
      if (reduces) return { eventId: undefined }
      const message = read.strategy.kind === 'batch' ? TEXTS.engine : TEXTS.signalRefused
      return { refused: refusal('rejected_engine_error', message, publicMessageOf(error)) }
    }
  }

  async #refuse(known: Parameters<typeof eventOf>[0], refused: Refusal): Promise<WebhookAnswer> {
    const { error, message, result } = refused
    await this.#append(eventOf(known, result, error ?? message))
    const strategyId = known.strategy?.id
    return { result, message, ...(strategyId !== undefined && { strategyId }) }
  }

  /** Never throws: a refusal is answered even if the disk cannot store it. */
  async #append(event: NewWebhookEvent): Promise<void> {
    await this.parts.events
      .insert(event)
      .catch((error: unknown) => this.#note('strategy.webhook.audit', error))
  }

  #note(event: string, error: unknown): void {
    this.parts.log.error(event, { error: messageOf(error) })
  }
}

interface OpenParts {
  db: Database
  events: WebhookEventStore
  history: StrategyHistory
  runs: Pick<RunService, 'start' | 'stop' | 'signal' | 'needsStop'>
  directory: InstrumentCatalog
  clock: Clock
  log: Logger
}

/** Opens the public webhook of strategies. */
export async function openWebhook(parts: OpenParts): Promise<StrategyWebhook> {
  const { clock, db, directory, events, history, log, runs } = parts
  return new StrategyWebhook({
    clock,
    log,
    events,
    claims: await ClaimStore.open(db, events, clock),
    strategies: new WebhookStrategies(new StrategyStore(db), history),
    runs: new WebhookRuns(runs, history),
    instruments: {
      find: (symbol, exchange) => directory.find(symbol, exchange),
      hasExchange: (exchange) => !isEmpty(directory.forExchange(exchange)),
    },
  })
}

function isEmpty(items: Iterable<unknown>): boolean {
  for (const _ of items) return false
  return true
}

/**
 * Returns the strategy of a token. A text that cannot be a token is looked up like any other, so that the time of an
 * answer does not tell the two apart.
 */
async function strategyOf(
  strategies: Pick<WebhookStrategies, 'byTokenHash'>,
  token: string,
): Promise<WebhookStrategy | undefined> {
  const hash = sha256Hex(token)
  const strategy = await strategies.byTokenHash(hash)
  const isEqual = safeEqual(hash, strategy?.webhookTokenHash ?? '')
  return isEqual && webhookTokenHash(token) !== undefined ? strategy : undefined
}
