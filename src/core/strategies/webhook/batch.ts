import type { Clock } from '../../time/index.js'
import { BATCH_ACTIONS, RUN_MODES } from '../config/vocabulary.js'
import { COOLING_OFF_MS, coolingOff, type Refusal, refusal, TEXTS } from './answer.js'
import type { ClaimStore, DedupeKey } from './claim-store.js'
import type { WebhookRuns } from './runs.js'
import type { WebhookStrategies, WebhookStrategy } from './strategies.js'

/** A body that asks a batch strategy to start or stop. */
export interface BatchCommand {
  readonly strategy: WebhookStrategy
  readonly action: string
  readonly mode: string
}

interface BatchParts {
  strategies: Pick<WebhookStrategies, 'lastStoppedAt'>
  claims: Pick<ClaimStore, 'isDuplicate'>
  runs: Pick<WebhookRuns, 'needsStop'>
  clock: Pick<Clock, 'since'>
}

interface BatchCheck {
  readonly name: string
  /** Only starts are checked. */
  readonly startOnly?: true
  check(command: BatchCommand, parts: BatchParts): Refusal | undefined | Promise<Refusal | undefined>
}

/** The checks of a batch strategy's delivery, in their order. The first refusal ends it. */
export const BATCH_CHECKS: readonly BatchCheck[] = [
  {
    name: 'action',
    check: ({ action }) =>
      isOneOf(BATCH_ACTIONS, action) ? undefined : refusal('rejected_invalid_action', TEXTS.batchAction),
  },
  {
    name: 'mode',
    startOnly: true,
    check: ({ mode }) =>
      isOneOf(RUN_MODES, mode) ? undefined : refusal('rejected_invalid_action', TEXTS.mode),
  },
  {
    name: 'live gate',
    startOnly: true,
    check: ({ mode, strategy }) =>
      mode === 'live' && !strategy.liveEnabled ? refusal('rejected_live_disabled', TEXTS.live) : undefined,
  },
  {
    name: 'dedupe',
    check: async (command, { claims, runs }) =>
      !isDueStop(command, runs) && (await claims.isDuplicate(keyOf(command))) ? duplicate() : undefined,
  },
  {
    name: 'cooling-off',
    startOnly: true,
    check: async ({ strategy }, { clock, strategies }) => {
      const remaining = coolingOffLeft(await strategies.lastStoppedAt(strategy.id), clock)
      return remaining > 0 ? refusal('rejected_cooling_off', coolingOff(remaining)) : undefined
    },
  },
]

export const duplicate = () => refusal('rejected_dedupe', TEXTS.duplicate)

/** Returns the first refusal of a command. */
export async function refusalOf(command: BatchCommand, parts: BatchParts): Promise<Refusal | undefined> {
  for (const { check, startOnly } of BATCH_CHECKS) {
    if (startOnly && command.action !== 'start') continue
    const refused = await check(command, parts)
    if (refused) return refused
  }
  return undefined
}

/** Returns whether a stop has a run to stop: one that began after the stop before it, so that it is no duplicate. */
export function isDueStop({ action, strategy }: BatchCommand, runs: Pick<WebhookRuns, 'needsStop'>): boolean {
  return action === 'stop' && runs.needsStop(strategy.id)
}

/** Returns the key of a command. A stop ignores the mode of its body. */
export function keyOf({ action, mode, strategy }: BatchCommand): DedupeKey {
  return { strategyId: strategy.id, action, mode: action === 'start' ? mode : '' }
}

function coolingOffLeft(stoppedAt: number | undefined, clock: Pick<Clock, 'since'>): number {
  return stoppedAt === undefined ? 0 : Math.max(0, COOLING_OFF_MS - clock.since(stoppedAt))
}

export function isOneOf<T extends string>(words: readonly T[], word: string): word is T {
  return words.some((known) => known === word)
}
