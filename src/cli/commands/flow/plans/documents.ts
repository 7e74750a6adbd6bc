import { statSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { parseJson } from '../../../../client/answers/json.js'
import { isObject } from '../../../../core/validation/index.js'
import { allFiles, fileText } from '../files/folder.js'
import type { Kind } from './rows.js'

/** The files of each kind at some paths, and those with scenarios. */
export type Documents = Readonly<Record<Kind | 'scenario', readonly string[]>>

/** In this folder every file is a strategy. */
const STRATEGIES = 'strategies'
/** What a strategy has, and no workflow. */
const STRATEGY_KEYS = ['legs', 'underlying', 'strategy_kind']
/** A key of the document itself stands at the beginning of a line of YAML. */
const OF_STRATEGY = new RegExp(`^["']?(${STRATEGY_KEYS.join('|')})["']?[ \\t]*:`, 'm')
const OF_WORKFLOW = /^["']?nodes["']?[ \t]*:/m

/**
 * Returns the files at the paths by what they hold: a strategy by the folder `strategies` or by its keys, scenarios by their
 * name, otherwise a workflow.
 */
export async function documentsAt(paths: readonly string[]): Promise<Documents> {
  const { isScenarioName, MAX_FILE_BYTES } = await import('../../../../core/flows/files/index.js')
  const kindOf = (file: string, path: string) => {
    if (isScenarioName(file)) return 'scenario'
    return liesAmongStrategies(file, path) || holdsStrategy(file, MAX_FILE_BYTES) ? 'strategy' : 'workflow'
  }
  const kinds = new Map(
    paths.flatMap((path) => allFiles([path]).map((file) => [file, kindOf(file, path)] as const)),
  )
  const those = (kind: Kind | 'scenario') => [...kinds].flatMap(([file, its]) => (its === kind ? [file] : []))
  return { workflow: those('workflow'), strategy: those('strategy'), scenario: those('scenario') }
}

/** Only folders below the path that the user names count: what lies above it says nothing of its files. */
function liesAmongStrategies(file: string, path: string): boolean {
  return dirname(relative(path, file)).split(sep).includes(STRATEGIES)
}

function holdsStrategy(file: string, maxBytes: number): boolean {
  // A pipe can be read only once.
  const text = statSync(file).isFile() ? (fileText(file, maxBytes) ?? '') : ''
  if (!file.toLowerCase().endsWith('.json')) return OF_STRATEGY.test(text) && !OF_WORKFLOW.test(text)
  const value = jsonOf(text)
  return isObject(value) && !('nodes' in value) && STRATEGY_KEYS.some((key) => key in value)
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
