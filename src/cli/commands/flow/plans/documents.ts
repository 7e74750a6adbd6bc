import { statSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { isObject, parseJson } from '../../../../client/answers/json.js'
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
 * Returns the files at the paths by what they hold: scenarios by their name, strategies by the folder `strategies`, and others
 * by their keys. What has the keys of neither is of the kind that the command is about, whose checks then say what is wrong.
 */
export async function documentsAt(paths: readonly string[], fallback: Kind): Promise<Documents> {
  const { isScenarioName, MAX_FILE_BYTES } = await import('../../../../core/flows/files/index.js')
  const kindOf = (file: string, path: string) => {
    if (isScenarioName(file)) return 'scenario'
    return liesAmongStrategies(file, path) ? 'strategy' : (kindByKeys(file, MAX_FILE_BYTES) ?? fallback)
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

/** Returns the kind whose keys the file has; undefined if it has those of both or of neither. */
function kindByKeys(file: string, maxBytes: number): Kind | undefined {
  // A pipe can be read only once.
  const text = statSync(file).isFile() ? (fileText(file, maxBytes) ?? '') : ''
  const isJson = file.toLowerCase().endsWith('.json')
  const [isStrategy, isWorkflow] = isJson
    ? keysOfJson(text)
    : [OF_STRATEGY.test(text), OF_WORKFLOW.test(text)]
  if (isStrategy === isWorkflow) return undefined
  return isStrategy ? 'strategy' : 'workflow'
}

function keysOfJson(text: string): [isStrategy: boolean, isWorkflow: boolean] {
  try {
    const value = parseJson(text)
    return isObject(value) ? [STRATEGY_KEYS.some((key) => key in value), 'nodes' in value] : [false, false]
  } catch {
    return [false, false]
  }
}
