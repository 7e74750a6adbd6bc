import { z } from 'zod'
import type { Clock } from '../../time/index.js'
import { fieldErrors, inPlainWords } from '../../validation/index.js'
import { BrokerError, type BrokerErrorKind } from '../broker.js'
import { hashText, unit } from './market/noise.js'

/** The calls that a fault can affect. */
export const OPERATIONS = [
  'login',
  'place',
  'modify',
  'cancel',
  'orders',
  'trades',
  'findByTag',
  'positions',
  'holdings',
  'funds',
  'quotes',
  'depth',
  'history',
  'instruments',
  'feed',
  'orderFeed',
  'placeGtt',
  'modifyGtt',
  'cancelGtt',
  'gtts',
  'margin',
] as const
export type Operation = (typeof OPERATIONS)[number]

/**
 * The kinds of faults.
 * - `delay`: only the latency
 * - `fail`: the broker responds with an HTTP status and a message; nothing was executed
 * - `refuse_connection`: the request was never sent (`sent: never`)
 * - `lose_request`: it was sent but never arrived, and no response came (`sent: maybe`; not executed)
 * - `lose_answer`: it arrived and was executed, but the response was lost (`sent: maybe`; executed)
 */
const KINDS = ['delay', 'fail', 'refuse_connection', 'lose_request', 'lose_answer'] as const

const faultRule = z.strictObject({
  /** The affected calls; all if omitted. */
  on: z.array(z.enum(OPERATIONS)).min(1).optional(),
  kind: z.enum(KINDS),
  /** Milliseconds before the call ends. */
  latencyMs: z.number().int().min(0).max(600_000).default(0),
  /** Affects only the next so many calls; all if omitted. */
  times: z.number().int().min(1).optional(),
  /** The number of calls that pass before the rule starts. */
  skip: z.number().int().min(0).default(0),
  /** Share of calls affected, decided by the seed. */
  probability: z.number().min(0).max(1).default(1),
  httpStatus: z.number().int().min(400).max(599).default(500),
  message: z.string().min(1).max(500).default('simulated fault'),
})

const faultRules = z.array(faultRule).max(100)

export type FaultRule = z.input<typeof faultRule>
export type AppliedRule = z.output<typeof faultRule>

/** Reads fault rules. @throws RangeError with the rule and the member that cannot be used */
export function readFaults(rules: unknown): AppliedRule[] {
  const result = faultRules.safeParse(rules, { error: inPlainWords })
  if (result.success) return result.data
  const problems = Object.entries(fieldErrors(result.error.issues))
  throw new RangeError(
    problems.map(([member, texts]) => `${memberName(member)}: ${texts.join(' ')}`).join('; '),
  )
}

/** Formats `0.kind` as `rule 1, kind`; an error of the whole list is `rules`. */
function memberName(path: string): string {
  const [index = '', ...member] = path.split('.')
  if (!/^\d+$/.test(index)) return 'rules'
  return [`rule ${Number(index) + 1}`, ...(member.length > 0 ? [member.join('.')] : [])].join(', ')
}

const KIND_OF_STATUS: Readonly<Record<number, BrokerErrorKind>> = {
  401: 'auth',
  403: 'permission',
  404: 'not_found',
  429: 'rate_limit',
}

/** Delays or fails calls by rules. If several rules match a call, the first one applies. */
export class Faults {
  readonly #seed: number
  #rules: { rule: AppliedRule; seen: number; hits: number }[] = []
  #calls = 0

  constructor(seed: string) {
    this.#seed = hashText(`faults:${seed}`)
  }

  get rules(): readonly AppliedRule[] {
    return this.#rules.map(({ rule }) => rule)
  }

  /** Replaces the rules; an empty list ends all faults. @throws RangeError for a rule that cannot be used */
  set(rules: unknown): void {
    this.#rules = readFaults(rules).map((rule) => ({ rule, seen: 0, hits: 0 }))
  }

  /** Runs a call under the rules. */
  async around<T>(clock: Clock, operation: Operation, call: () => Promise<T>): Promise<T> {
    const rule = this.#hit(operation)
    if (!rule) return call()
    if (rule.kind === 'delay') {
      await wait(clock, rule)
      return call()
    }
    // The caller never learns the result, neither success nor error.
    if (rule.kind === 'lose_answer') await call().catch(() => undefined)
    await wait(clock, rule)
    throw faultError(rule)
  }

  #hit(operation: Operation): AppliedRule | undefined {
    const call = this.#calls++
    for (const [index, active] of this.#rules.entries()) {
      const { rule } = active
      if (rule.on && !rule.on.includes(operation)) continue
      active.seen += 1
      if (active.seen <= rule.skip || (rule.times !== undefined && active.hits >= rule.times)) continue
      if (rule.probability < 1 && unit(this.#seed, call, index) >= rule.probability) continue
      active.hits += 1
      return rule
    }
    return undefined
  }
}

async function wait(clock: Clock, rule: AppliedRule): Promise<void> {
  if (rule.latencyMs > 0) await clock.sleep(rule.latencyMs)
}

function faultError(rule: AppliedRule): BrokerError {
  const { httpStatus, message } = rule
  if (rule.kind === 'refuse_connection') return new BrokerError('network', message, { sent: 'never' })
  if (rule.kind !== 'fail') return new BrokerError('network', message, { sent: 'maybe' })
  const kind = KIND_OF_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'unavailable' : 'rejected')
  return new BrokerError(kind, message, { brokerStatus: httpStatus, sent: 'yes' })
}
