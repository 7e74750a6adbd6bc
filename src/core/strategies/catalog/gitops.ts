import { type Change, changesWithin } from '../../documents/index.js'
import { ServiceError } from '../../errors/index.js'
import type { StrategyConfig } from '../config/index.js'
import type { StrategyCatalog } from './catalog.js'
import { contentHash, isRunning, type Strategy } from './strategy.js'

/** The content of a strategy file, before validation. */
export interface DesiredStrategy {
  /** The identity of the strategy across files and machines. */
  key: string
  config: unknown
}

export interface ApplyStrategies {
  strategies: readonly DesiredStrategy[]
  /** Remove strategies that were applied from a file and are in none of these files. */
  prune: boolean
}

/** The change that applying the files would make to one strategy. */
export interface PlannedStrategy {
  key: string
  name: string
  action: 'create' | 'update' | 'delete' | 'none'
  strategy_id: number | null
  /** True if somebody changed the strategy by hand since it was last applied. */
  drifted: boolean
  is_running: boolean
  changes: Change[]
}

/** The change that applying the files made. A new strategy comes with its webhook token. */
export interface AppliedStrategy extends PlannedStrategy {
  webhook_token: string | null
}

interface Wanted {
  key: string
  config: StrategyConfig
}

/** What is wrong with a file. */
interface FileFault {
  key: string
  path: string
  code: string
  message: string
}

/** A row of the plan, with the strategy as it is and as its file has it. */
interface Step {
  planned: PlannedStrategy
  before: Strategy | undefined
  wanted: Wanted | undefined
}

/** Returns the differences between the files and the stored strategies. @throws ServiceError `validation` */
export async function planStrategies(
  catalog: StrategyCatalog,
  userId: string,
  request: ApplyStrategies,
): Promise<PlannedStrategy[]> {
  const wanted = checked(catalog, request.strategies)
  const stored = (await catalog.list(userId)).map(({ strategy }) => strategy)
  return stepsOf(stored, wanted, request.prune).map(({ planned }) => planned)
}

/**
 * Makes the stored strategies match the files, in one transaction: all of them or none. Runs, events and webhook tokens
 * stay. @throws ServiceError `validation`, `conflict` if a strategy that would change runs
 */
export async function applyStrategies(
  catalog: StrategyCatalog,
  userId: string,
  request: ApplyStrategies,
): Promise<AppliedStrategy[]> {
  const wanted = checked(catalog, request.strategies)
  return catalog.together(userId, async (tx, stored) => {
    const steps = stepsOf(stored, wanted, request.prune)
    refuseRunning(steps)
    // Deletions first, so that a name they free can be given again.
    for (const { planned, before } of steps) {
      if (planned.action === 'delete' && before) await catalog.removeIn(tx, before)
    }
    const applied: AppliedStrategy[] = []
    for (const { planned, before, wanted: file } of steps) {
      if (!file) {
        applied.push({ ...planned, webhook_token: null })
      } else if (before) {
        const state = { fileKey: file.key, appliedHash: contentHash(file.config) }
        if (planned.action === 'update' || before.appliedHash !== state.appliedHash) {
          await catalog.changeIn(tx, before, file.config, state)
        }
        applied.push({ ...planned, webhook_token: null })
      } else {
        const state = { fileKey: file.key, appliedHash: contentHash(file.config) }
        const { strategy, webhookToken } = await catalog.createIn(tx, userId, file.config, state)
        applied.push({ ...planned, strategy_id: strategy.id, webhook_token: webhookToken })
      }
    }
    return applied
  })
}

function stepsOf(stored: readonly Strategy[], wanted: readonly Wanted[], prune: boolean): Step[] {
  const byKey = new Map(stored.flatMap((one) => (one.fileKey === null ? [] : [[one.fileKey, one] as const])))
  const steps = wanted.map((file): Step => {
    const before = byKey.get(file.key)
    return { planned: plannedFor(before, file), before, wanted: file }
  })
  refuseFaulty(steps.flatMap(kindFault))
  if (!prune) return steps
  const keys = new Set(wanted.map(({ key }) => key))
  const surplus = [...byKey.values()].filter(({ fileKey }) => fileKey !== null && !keys.has(fileKey))
  return [
    ...steps,
    ...surplus.map((before): Step => ({ planned: removal(before), before, wanted: undefined })),
  ]
}

/** The runs and orders of a strategy are those of its kind of legs. */
function kindFault({ before, wanted }: Step): FileFault[] {
  if (!before || !wanted || before.config.strategy_kind === wanted.config.strategy_kind) return []
  const message = 'strategy_kind cannot be changed: give the file another id'
  return [{ key: wanted.key, path: 'strategy_kind', code: 'invalid_value', message }]
}

function plannedFor(before: Strategy | undefined, { key, config }: Wanted): PlannedStrategy {
  const { name } = config
  if (!before) {
    return { key, name, action: 'create', strategy_id: null, drifted: false, is_running: false, changes: [] }
  }
  const changes = changesWithin('', before.config, config)
  return { ...factsOf(before), key, name, action: changes.length > 0 ? 'update' : 'none', changes }
}

function removal(before: Strategy): PlannedStrategy {
  return { ...factsOf(before), key: before.fileKey ?? '', name: before.name, action: 'delete', changes: [] }
}

function factsOf(before: Strategy) {
  return {
    strategy_id: before.id,
    drifted: before.appliedHash !== before.contentHash,
    is_running: isRunning(before),
  }
}

function refuseRunning(steps: readonly Step[]): void {
  const busy = steps.filter(({ planned }) => planned.is_running && planned.action !== 'none')
  if (busy.length === 0) return
  const names = busy.map(({ planned }) => planned.key).join(', ')
  throw new ServiceError('conflict', `Stop these strategies before they are changed: ${names}`)
}

/** Validates all files: one faulty file prevents every change. @throws ServiceError `validation` */
function checked(catalog: StrategyCatalog, desired: readonly DesiredStrategy[]): Wanted[] {
  const errors: FileFault[] = []
  const wanted = desired.flatMap(({ key, config: input }): Wanted[] => {
    const { config, problems = [] } = catalog.read(input)
    for (const { path, message } of problems) {
      errors.push({ key, path: path.join('.'), code: 'invalid_value', message })
    }
    return config ? [{ key, config }] : []
  })
  errors.push(
    ...repeated(desired, ({ key }) => key, 'id'),
    ...repeated(wanted, ({ config }) => config.name, 'name'),
  )
  refuseFaulty(errors)
  return wanted
}

/** Returns a fault for each file that has the id or the name of a file before it. */
function repeated<T extends { key: string }>(
  files: readonly T[],
  textOf: (file: T) => string,
  of: 'id' | 'name',
): FileFault[] {
  const first = new Map<string, T>()
  return files.flatMap((file) => {
    const value = textOf(file)
    if (!first.has(value)) first.set(value, file)
    if (first.get(value) === file) return []
    const message = `Two files have the same ${of} '${value}'`
    return [{ key: file.key, path: of === 'id' ? '' : of, code: 'duplicate_id', message }]
  })
}

function refuseFaulty(errors: readonly FileFault[]): void {
  const [first] = errors
  if (first) throw new ServiceError('validation', `${first.key}: ${first.message}`, { extra: { errors } })
}
