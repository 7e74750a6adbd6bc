import { validationError } from '../../../core/errors/index.js'
import { parseJson } from './bounded-json.js'

const REPEATED = 'The field is given more than once.'
/** The most characters of a member's path that an error shows. */
const MAX_PATH_LENGTH = 100

/**
 * Parses JSON and refuses an object with two members of the same name. `JSON.parse` would keep the last one,
 * and nobody can tell which of two quantities the sender meant.
 * @throws SyntaxError for text that is not JSON
 * @throws ServiceError `validation` that names the repeated member, or says that the text is nested too
 * deeply
 */
export function parseUniqueJson(text: string): unknown {
  const value = parseJson(text)
  // Each member in the text has a colon. When the value has as many members as the text has colons, none was
  // dropped.
  if (colonsIn(text) !== membersOf(value)) {
    const path = repeatedMember(text)
    if (path !== undefined) throw validationError({ [path.slice(0, MAX_PATH_LENGTH)]: [REPEATED] })
  }
  return value
}

function colonsIn(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1
  return count
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += membersOf(item)
  else for (const name in value) count += 1 + membersOf(Reflect.get(value, name))
  return count
}

/** A string, a bracket, a comma or a colon. The rest of JSON is numbers, literals and white space. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/** A list or object that is still open at the current position. */
interface Open {
  /** The member names of an object so far. Undefined for a list. */
  names: Set<string> | undefined
  /** The name or index of the member that is being read. */
  at: string | number
}

/** Returns the path of the first member that repeats a name in its object. The text must be JSON. */
function repeatedMember(text: string): string | undefined {
  const open: Open[] = []
  let last = ''
  for (const [token] of text.matchAll(TOKEN)) {
    const inner = open.at(-1)
    if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: undefined, at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',') {
      if (typeof inner?.at === 'number') inner.at += 1
    } else if (token !== ':') last = token
    else if (inner?.names) {
      const name = String(JSON.parse(last))
      inner.at = name
      if (inner.names.has(name)) return open.map(({ at }) => at).join('.')
      inner.names.add(name)
    }
  }
  return undefined
}
