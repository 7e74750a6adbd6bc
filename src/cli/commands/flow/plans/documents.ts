import { statSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { isObject, parseJson } from '../../../../client/answers/json.js'
import { usageError } from '../../../framework/errors.js'
import { allFiles, fileText, isFolder } from '../files/folder.js'
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
/** The names of what lies beside files in a folder: schemas for editors, and saved plans. */
const BESIDE = /\.(schema|plan)\.json$/i
/** What may stand before the content of a YAML file. */
const BEFORE_CONTENT = /^(\s|#.*|%.*|---[ \t]*$)+/m

/**
 * Returns the files at the paths by what they hold: strategies by the folder `strategies` and by their keys, workflows by their
 * keys, scenarios by their name if they hold a list. A name alone hides no document: somebody may prune by this answer. What
 * has the keys of no kind is of the kind that the command is about, whose checks then say what is wrong.
 */
export async function documentsAt(paths: readonly string[], fallback: Kind): Promise<Documents> {
  const { isScenarioName, MAX_FILE_BYTES } = await import('../../../../core/flows/files/index.js')
  const kindOf = (file: string, path: string): Kind | 'scenario' | 'beside' => {
    const text = textOf(file, MAX_FILE_BYTES)
    const own = kindByKeys(file, text)
    if (own === undefined && BESIDE.test(file) && isFolder(path) && parseJson(text) !== undefined)
      return 'beside'
    if (liesAmongStrategies(file, path)) return 'strategy'
    return own ?? (isScenarioName(file) && holdsList(text) ? 'scenario' : fallback)
  }
  const kinds = new Map(
    paths.flatMap((path) => allFiles([path]).map((file) => [file, kindOf(file, path)] as const)),
  )
  const those = (kind: Kind | 'scenario') => [...kinds].flatMap(([file, its]) => (its === kind ? [file] : []))
  return { workflow: those('workflow'), strategy: those('strategy'), scenario: those('scenario') }
}

/** Returns whether a text is a list, as scenarios are, or empty. */
export function holdsList(text: string): boolean {
  const content = text.replace(BEFORE_CONTENT, '')
  return content === '' || /^(-\s|\[)/.test(content)
}

/** Only folders below the path that the user names count: what lies above it says nothing of its files. */
function liesAmongStrategies(file: string, path: string): boolean {
  return dirname(relative(path, file)).split(sep).includes(STRATEGIES)
}

/** Returns the text of a file; an empty one for a pipe, which can be read only once, and for what is too large. */
function textOf(file: string, maxBytes: number): string {
  return statSync(file).isFile() ? (fileText(file, maxBytes) ?? '') : ''
}

/**
 * Refuses a file of the other kind: its findings would be about keys that are right there.
 * @param verb the command of the other kind that takes such a file, if there is one
 * @throws a usage error
 */
export function requireKind(kind: Kind, file: string, text: string, verb = '--help'): void {
  const own = kindByKeys(file, text)
  if (own === undefined || own === kind) return
  const noun = own === 'workflow' ? 'flow' : 'strategy'
  const rest = verb === '--help' ? verb : `${verb} ${file}`
  throw usageError(`${file} is a ${own}, not a ${kind}.`, `Commands for it: svc ${noun} ${rest}`)
}

/** Returns the kind whose keys the file has; undefined if it has those of both or of neither. */
function kindByKeys(file: string, text: string): Kind | undefined {
  const isJson = file.toLowerCase().endsWith('.json')
  const [isStrategy, isWorkflow] = isJson
    ? keysOfJson(text)
    : [OF_STRATEGY.test(text), OF_WORKFLOW.test(text)]
  if (isStrategy === isWorkflow) return undefined
  return isStrategy ? 'strategy' : 'workflow'
}

function keysOfJson(text: string): [isStrategy: boolean, isWorkflow: boolean] {
  const value = parseJson(text)
  return isObject(value) ? [STRATEGY_KEYS.some((key) => key in value), 'nodes' in value] : [false, false]
}
