import {
  byFileKey,
  type Change,
  changesWithin,
  type ExpectedVersions,
  expectedOf,
  exportKey,
  isSameFile,
  located,
  movedFaults,
  type StoredVersion,
  unexpectedVersions,
} from '../../documents/index.js'
import { ServiceError } from '../../errors/index.js'
import type { Tx } from '../../storage/index.js'
import { mapInTurns, Pace, utcIso } from '../../time/index.js'
import type { StrategyConfig } from '../config/index.js'
import type { ListedVersion } from '../store/version-store.js'
import type { StrategyCatalog } from './catalog.js'
import { type ChangeAuthor, type ChangeSource, UNKNOWN_AUTHOR } from './change-source.js'
import { contentHash, isDrifted, isRunning, type Strategy } from './strategy.js'

/** The content of a strategy file, before validation. */
export interface DesiredStrategy {
  /** The identity of the strategy across files and machines. */
  key: string
  /** The ids that the file had before. */
  moved?: readonly string[] | undefined
  file?: string | undefined
  config: unknown
}

export interface ApplyStrategies {
  strategies: readonly DesiredStrategy[]
  /** Remove strategies that were applied from a file and are in none of these files. */
  prune: boolean
  /** These are all files, so every other strategy that was applied from a file has none any more. */
  complete?: boolean | undefined
  commit?: string | undefined
  /** The versions that the caller has seen: with another one, nothing is changed. */
  expect?: ExpectedVersions | undefined
}

/** The change that applying the files would make to one strategy. */
export interface PlannedStrategy {
  key: string
  name: string
  /** `orphan`: the strategy was applied from a file, and has none any more. It stays as it is. */
  action: 'create' | 'update' | 'delete' | 'none' | 'orphan'
  /** The earlier id under which the strategy is stored now. It gets the new one, and keeps everything else. */
  moved_from: string | null
  strategy_id: number | null
  /** True if somebody changed the strategy by hand since it was last applied. */
  drifted: boolean
  is_running: boolean
  /** The version that is stored now; null for a new strategy. */
  stored: StoredVersion | null
  changes: Change[]
}

/** The change that applying the files made. A new strategy comes with its webhook token. */
export interface AppliedStrategy extends PlannedStrategy {
  /** The version that is stored now; null for one that was deleted. */
  version: number | null
  webhook_token: string | null
}

/** The files that are read in one turn of the event loop. */
const FILES_A_TURN = 50

interface CheckedStrategy {
  key: string
  moved: readonly string[]
  file: string | undefined
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
  after: CheckedStrategy | undefined
}

/** Returns the differences between the files and the stored strategies. @throws ServiceError `validation` */
export async function planStrategies(
  catalog: StrategyCatalog,
  userId: string,
  request: ApplyStrategies,
): Promise<PlannedStrategy[]> {
  const checkedFiles = await checked(catalog, request.strategies)
  const strategies = (await catalog.list(userId)).map(({ strategy }) => strategy)
  const stored = { strategies, versions: await catalog.versions(strategies), userId }
  return stepsOf(stored, checkedFiles, request).map(({ planned }) => planned)
}

/**
 * Makes the stored strategies match the files, in one transaction: all of them or none. Runs, events and webhook tokens
 * stay. @throws ServiceError `validation`, `conflict` if a strategy that would change runs
 */
export async function applyStrategies(
  catalog: StrategyCatalog,
  userId: string,
  request: ApplyStrategies,
  author: ChangeAuthor = UNKNOWN_AUTHOR,
): Promise<AppliedStrategy[]> {
  const checkedFiles = await checked(catalog, request.strategies)
  return catalog.together(userId, async (tx, strategies) => {
    const stored = { strategies, versions: await catalog.versions(strategies, tx), userId }
    const steps = stepsOf(stored, checkedFiles, request)
    refuseUnexpected(stored, steps, request)
    refuseRunning(steps)
    // Deletions first, so that a name they free can be given again.
    for (const { planned, before } of steps) {
      if (planned.action === 'delete' && before) await catalog.removeIn(tx, before)
    }
    const applied: Omit<AppliedStrategy, 'version'>[] = []
    for (const step of steps) {
      const source = step.after && sourceOf(step.after, request, author)
      applied.push(await applyStep(catalog, tx, userId, step, source))
    }
    const versions = await catalog.versions(
      applied.flatMap(({ strategy_id: id }) => (id === null ? [] : [{ id }])),
      tx,
    )
    return applied.map((row) => {
      const version = row.action === 'delete' ? undefined : versions.get(row.strategy_id ?? 0)?.version
      return { ...row, version: version ?? null }
    })
  })
}

async function applyStep(
  catalog: StrategyCatalog,
  tx: Tx,
  userId: string,
  { planned, before, after: file }: Step,
  source: AppliedSource | undefined,
): Promise<Omit<AppliedStrategy, 'version'>> {
  if (!file || !source) return { ...planned, webhook_token: null }
  if (!before) {
    const { strategy, webhookToken } = await catalog.createIn(tx, userId, file.config, source)
    return { ...planned, strategy_id: strategy.id, webhook_token: webhookToken }
  }
  if (planned.action === 'update' || before.appliedHash !== source.appliedHash) {
    await catalog.changeIn(tx, before, file.config, source)
  }
  return { ...planned, webhook_token: null }
}

/** The strategies of a user as they are stored, with their current versions. */
interface StoredStrategies {
  strategies: readonly Strategy[]
  versions: ReadonlyMap<number, ListedVersion>
  userId: string
}

type AppliedSource = Extract<ChangeSource, { origin: 'apply' }>

function sourceOf(
  { key, file, config }: CheckedStrategy,
  { commit }: ApplyStrategies,
  author: ChangeAuthor,
): AppliedSource {
  return { author, origin: 'apply', fileKey: key, appliedHash: contentHash(config), file, commit }
}

function storedByKey({ strategies }: StoredStrategies): ReadonlyMap<string, Strategy> {
  return byFileKey(strategies, (one) => exportKey(one, 'strategy'))
}

function stepsOf(
  stored: StoredStrategies,
  checkedFiles: readonly CheckedStrategy[],
  { complete, prune }: ApplyStrategies,
): Step[] {
  const found = located(checkedFiles, storedByKey(stored))
  const steps = checkedFiles.map((file): Step => {
    const { before, movedFrom = null } = found.get(file.key) ?? {}
    return { planned: plannedFor(stored, before, file, movedFrom), before, after: file }
  })
  refuseFaulty(steps.flatMap(kindFault))
  const kept = new Set(steps.map(({ before }) => before?.id))
  const surplus = stored.strategies
    .filter(({ fileKey, id }) => fileKey !== null && !kept.has(id))
    .map((before): Step => {
      const planned = plannedSurplus(stored, before, prune ? 'delete' : 'orphan')
      return { planned, before, after: undefined }
    })
  if (prune || complete) return [...steps, ...surplus]
  // Some files of many: a strategy has surely lost its file if that file now has another id.
  const moved = surplus.filter(({ planned }) =>
    checkedFiles.some(({ file }) => file !== undefined && isSameFile(planned.stored?.file ?? '', file)),
  )
  return [...steps, ...moved]
}

/** @throws ServiceError `conflict` if a strategy has another version than the caller has seen */
function refuseUnexpected(
  stored: StoredStrategies,
  steps: readonly Step[],
  { expect }: ApplyStrategies,
): void {
  const deleted = steps.flatMap(({ planned }) => (planned.action === 'delete' ? planned.key : []))
  const byKey = storedByKey(stored)
  const ofFiles = new Map(steps.map(({ before, planned }) => [planned.key, before]))
  const surprises = unexpectedVersions(expectedOf(expect, deleted), (key) => {
    const strategy = ofFiles.get(key) ?? byKey.get(key)
    return strategy && stored.versions.get(strategy.id)?.version
  })
  if (surprises.length > 0) throw new ServiceError('conflict', `Nothing was applied: ${surprises.join(', ')}`)
}

/** The runs and orders of a strategy are those of its kind of legs. */
function kindFault({ before, after }: Step): FileFault[] {
  if (!before || !after || before.config.strategy_kind === after.config.strategy_kind) return []
  const message = 'strategy_kind cannot be changed: give the file another id'
  return [{ key: after.key, path: 'strategy_kind', code: 'invalid_value', message }]
}

function plannedFor(
  stored: StoredStrategies,
  before: Strategy | undefined,
  { key, config }: CheckedStrategy,
  movedFrom: string | null,
): PlannedStrategy {
  const { name } = config
  if (!before) {
    const isNew = { moved_from: null, strategy_id: null, drifted: false, is_running: false, stored: null }
    return { key, name, action: 'create', ...isNew, changes: [] }
  }
  const changes = changesWithin('', before.config, config)
  const action = changes.length > 0 || movedFrom !== null ? 'update' : 'none'
  return { ...factsOf(stored, before), key, name, action, moved_from: movedFrom, changes }
}

function plannedSurplus(stored: StoredStrategies, before: Strategy, action: 'delete' | 'orphan') {
  const { fileKey, name } = before
  return { ...factsOf(stored, before), key: fileKey ?? '', name, action, moved_from: null, changes: [] }
}

function factsOf({ versions, userId }: StoredStrategies, before: Strategy) {
  const current = versions.get(before.id)
  return {
    strategy_id: before.id,
    drifted: isDrifted(before),
    is_running: isRunning(before),
    stored: current ? storedVersion(current, userId) : null,
  }
}

function storedVersion(current: ListedVersion, caller: string): StoredVersion {
  const { version, at, by, origin, rolledBackTo, file, commit } = current
  const words = { by, by_you: by === caller, origin, rolled_back_to: rolledBackTo }
  return { version, at: utcIso(at), ...words, file, commit }
}

/** A new id changes nothing that a run holds. */
const changesRun = ({ action, changes }: PlannedStrategy) => action === 'delete' || changes.length > 0

function refuseRunning(steps: readonly Step[]): void {
  const busy = steps.filter(({ planned }) => planned.is_running && changesRun(planned))
  if (busy.length === 0) return
  const names = busy.map(({ planned }) => planned.key).join(', ')
  throw new ServiceError('conflict', `Stop these strategies before they are changed: ${names}`)
}

/** Validates all files: one faulty file prevents every change. @throws ServiceError `validation` */
async function checked(
  catalog: StrategyCatalog,
  desired: readonly DesiredStrategy[],
): Promise<CheckedStrategy[]> {
  const errors: FileFault[] = []
  const pace = new Pace(catalog.clock, FILES_A_TURN)
  const read = await mapInTurns(
    desired,
    pace,
    ({ key, moved = [], file, config: input }): CheckedStrategy[] => {
      const { config, problems = [] } = catalog.read(input)
      for (const { path, message } of problems) {
        errors.push({ key, path: path.join('.'), code: 'invalid_value', message })
      }
      return config ? [{ key, moved, file, config }] : []
    },
  )
  const checkedFiles = read.flat()
  errors.push(
    ...repeated(desired, ({ key }) => key, 'id'),
    ...repeated(checkedFiles, ({ config }) => config.name, 'name'),
    ...movedFaults(checkedFiles).map(
      ({ file: { key }, message }): FileFault => ({ key, path: 'moved', code: 'invalid_id', message }),
    ),
  )
  refuseFaulty(errors)
  return checkedFiles
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
