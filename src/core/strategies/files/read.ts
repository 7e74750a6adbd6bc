import {
  type Finding,
  isKey,
  KEY_RULE,
  keyOf,
  parseSource,
  type ReadResult,
  withoutNulls,
  yamlOf,
} from '../../documents/index.js'
import { isObject } from '../../validation/index.js'
import { readStrategy, STRATEGY_FIELDS, type StrategyConfig } from '../config/index.js'

/** A strategy that was read from a file. */
export interface StrategyFile {
  file: string
  /** The identity for `apply`: the `id` of the file, or the file name. */
  key: string
  config: StrategyConfig
  /** Returns the fault that another file has the same id or the same name. */
  duplicate(of: 'id' | 'name', message: string): Finding
}

const FIELDS: ReadonlySet<string> = new Set(['id', ...STRATEGY_FIELDS])

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
  const { id, rest } = splitId(source.value)
  const key = id ?? keyOf(file)
  const findings: Finding[] = []
  if (typeof key !== 'string' || !isKey(key)) {
    findings.push(source.finding(['id'], 'invalid_id', `"${String(key)}" cannot be an id: ${KEY_RULE}.`))
  }
  const { config, problems = [] } = readStrategy(rest)
  for (const { path, message } of problems)
    findings.push(source.finding(path, 'invalid_value', `${message}.`))
  if (!config || typeof key !== 'string' || findings.length > 0) return { ok: false, findings }
  const duplicate: StrategyFile['duplicate'] = (of, message) => source.finding([of], 'duplicate_id', message)
  return { ok: true, value: { file, key, config, duplicate } }
}

function splitId(value: unknown): { id: unknown; rest: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: undefined, rest: value }
  const { id, ...rest } = { id: undefined, ...value }
  return { id, rest }
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

/** Reads the fields of a strategy that change, without the `id` of a file. The daemon checks them against the others. */
export function readStrategyPatch(text: string, file: string): ReadResult<Record<string, unknown>> {
  const parsed = parseSource(text, file, FIELDS)
  if (!parsed.ok) return parsed
  if (isEmpty(parsed.value.value))
    return { ok: false, findings: [parsed.value.finding([], 'invalid_value', EMPTY)] }
  const { rest } = splitId(parsed.value.value)
  if (isObject(rest)) return { ok: true, value: { ...rest } }
  return { ok: false, findings: [parsed.value.finding([], 'invalid_value', 'The file must be an object.')] }
}
