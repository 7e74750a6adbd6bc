import {
  type Finding,
  isKey,
  KEY_RULE,
  keyOf,
  movedFindings,
  movedOf,
  parseSource,
  type ReadResult,
  type Source,
  withoutNulls,
  yamlOf,
} from '../../documents/index.js'
import { isObject } from '../../validation/index.js'
import {
  type ConfigProblem,
  pathText,
  readStrategy,
  STRATEGY_FIELDS,
  type StrategyConfig,
} from '../config/index.js'

/** A strategy that was read from a file. */
export interface StrategyFile {
  file: string
  /** The identity for `apply`: the `id` of the file, or the file name. */
  key: string
  /** The ids that the file had before. */
  moved: readonly string[]
  config: StrategyConfig
  /** Returns a fault that other files show, or the instruments of a daemon. */
  finding(path: ConfigProblem['path'], code: 'duplicate_id' | 'unknown_symbol', message: string): Finding
}

const FIELDS: ReadonlySet<string> = new Set(['id', 'moved', ...STRATEGY_FIELDS])

const EMPTY = 'The file is empty.'

/** A file with only blanks and comments has no value. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined
}

/** Reads a strategy from YAML or JSON: `id`, and the fields of its configuration. */
export function readStrategyFile(text: string, file: string): ReadResult<StrategyFile> {
  const parsed = parseSource(text, file, FIELDS)
  if (!parsed.ok) return parsed
  const source = parsed.value
  if (isEmpty(source.value)) return { ok: false, findings: [source.finding([], 'invalid_value', EMPTY)] }
  const { id, moved: written, rest } = splitIds(source.value)
  const key = id ?? keyOf(file)
  const moved = isIds(written) ? movedOf(written) : []
  const findings = movedFindings(source, moved)
  if (!isIds(written)) {
    findings.push(source.finding(['moved'], 'invalid_value', 'moved: An id, or a list of ids.'))
  }
  if (typeof key !== 'string' || !isKey(key)) {
    findings.push(source.finding(['id'], 'invalid_id', `"${String(key)}" cannot be an id: ${KEY_RULE}.`))
  }
  const { config, problems = [] } = readStrategy(rest)
  for (const { path, message } of problems)
    findings.push(source.finding(path, 'invalid_value', `${message}.`))
  const told = new Set(problems.map(({ path }) => pathText(path)))
  const blanks = blankFindings(source, 'leave it out for none')
  findings.push(...blanks.filter(({ name }) => !told.has(name)).map(({ finding }) => finding))
  if (!config || typeof key !== 'string' || findings.length > 0) return { ok: false, findings }
  const finding: StrategyFile['finding'] = (path, code, message) => source.finding(path, code, message)
  return { ok: true, value: { file, key, moved, config, finding } }
}

/**
 * Finds keys that are written without a value, such as `overall_sl_mtm:`. They would mean none, so a stop that somebody
 * began to write would not be there.
 */
function blankFindings(source: Source, remedy: string): { name: string; finding: Finding }[] {
  return source.blanks().map((path) => {
    const name = pathText(path)
    return { name, finding: source.finding(path, 'invalid_value', `${name} has no value: ${remedy}.`, 'key') }
  })
}

/** Returns the ids of a file, and its configuration. */
function splitIds(value: unknown): { id?: unknown; moved?: unknown; rest: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { rest: value }
  const { id, moved, ...rest } = { id: undefined, moved: undefined, ...value }
  return { id, moved, rest }
}

function isIds(written: unknown): written is string | string[] | undefined {
  if (written === undefined || typeof written === 'string') return true
  return Array.isArray(written) && written.every((one) => typeof one === 'string')
}

/** Returns a strategy as a file: YAML without the fields that say nothing. */
export function writeStrategyFile(config: object, key: string | undefined): string {
  const entries = new Map(Object.entries(config))
  const fields = STRATEGY_FIELDS.flatMap((name): [string, unknown][] => {
    const value = withoutNulls(entries.get(name))
    return value === null || value === undefined ? [] : [[name, value]]
  })
  return yamlOf(new Map<string, unknown>([...(key === undefined ? [] : [['id', key] as const]), ...fields]))
}

/** The fields of a strategy that a file changes. */
export interface StrategyPatch {
  fields: Record<string, unknown>
  /**
   * Returns the changed strategy, to look up what it names. Undefined if the change names nothing that a daemon lists, and
   * for one that no strategy can have: the daemon refuses it.
   */
  over(before: object): StrategyFile | undefined
}

/** The fields that decide what a strategy of each kind names. */
const NAMING = { signal: ['legs'], batch: ['underlying', 'underlying_exchange', 'legs'] } as const

/** Reads the fields of a strategy that change, without the `id` of a file. The daemon checks them against the others. */
export function readStrategyPatch(text: string, file: string): ReadResult<StrategyPatch> {
  const parsed = parseSource(text, file, FIELDS)
  if (!parsed.ok) return parsed
  if (isEmpty(parsed.value.value))
    return { ok: false, findings: [parsed.value.finding([], 'invalid_value', EMPTY)] }
  const blanks = blankFindings(parsed.value, 'write null to remove it')
  if (blanks.length > 0) return { ok: false, findings: blanks.map(({ finding }) => finding) }
  const { rest } = splitIds(parsed.value.value)
  if (!isObject(rest)) {
    return { ok: false, findings: [parsed.value.finding([], 'invalid_value', 'The file must be an object.')] }
  }
  const fields = { ...rest }
  const finding: StrategyFile['finding'] = (path, code, message) => parsed.value.finding(path, code, message)
  const over: StrategyPatch['over'] = (before) => {
    const entries = new Map(Object.entries(before))
    const own = STRATEGY_FIELDS.flatMap((name) => (entries.has(name) ? [[name, entries.get(name)]] : []))
    const { config } = readStrategy({ ...Object.fromEntries(own), ...fields })
    const isNamed = config && NAMING[config.strategy_kind].some((name) => name in fields)
    return isNamed ? { file, key: '', moved: [], config, finding } : undefined
  }
  return { ok: true, value: { fields, over } }
}
