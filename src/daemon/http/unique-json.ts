import { validationError } from '../../core/errors/index.js'
import { parseJson } from './bounded-json.js'

const REPEATED = 'Field is given more than once.'
/** Characters of the path of a member that are told. */
const MAX_PATH_TOLD = 100

/**
 * Parses JSON in which no object has two members of one name. `JSON.parse` would keep the last and drop the others:
 * nobody can tell which of two quantities was meant.
 * @throws SyntaxError for text that is not JSON
 * @throws ServiceError `validation` that names the repeated member, or says that the text is nested too deeply
 */
export function parseUniqueJson(text: string): unknown {
  const value = parseJson(text)
  // Each member of the text has a colon. With no more colons than members left, none was dropped.
  if (colonsIn(text) !== membersOf(value)) {
    const path = repeatedMember(text)
    if (path !== undefined) throw validationError({ [path.slice(0, MAX_PATH_TOLD)]: [REPEATED] })
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

/** A string, or a character that opens, closes or divides. All else in JSON is numbers, words and blanks. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/** A list or an object that is open at this place of the text. */
interface Open {
  /** The names of an object so far; a list has none. */
  names: Set<string> | undefined
  /** The member or item that is being read. */
  at: string | number
}

/** The path of the first member that repeats a name of its object, in a text that is JSON. */
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
