import { ServiceError } from '../../../core/errors/index.js'

/**
 * The most levels of nested lists and objects: far more than any client sends, far fewer than exhaust the
 * stack.
 */
export const MAX_JSON_DEPTH = 100

/**
 * The most values (members and items) of a text: more than the largest request has, few enough to parse in some
 * milliseconds. Bodies are parsed before their sender is known, since the key is in them.
 */
export const MAX_JSON_VALUES = 100_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_LIST, CLOSE_LIST] = [0x5b, 0x5d]
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d]
const OPENINGS = ['{', '['] as const
const BEFORE_VALUES = [...OPENINGS, ','] as const

/**
 * Parses JSON from outside. It limits the nesting, so that copying or serializing the value cannot fail, and
 * the number of values, so that one text cannot hold up everything else.
 * @throws SyntaxError for text that is not JSON
 * @throws ServiceError `validation` for more levels than {@link MAX_JSON_DEPTH} or more values than
 * {@link MAX_JSON_VALUES}
 */
export function parseJson(text: string): unknown {
  // A text has no more values than characters, so a small one needs no count.
  if (
    text.length > MAX_JSON_VALUES &&
    countUpTo(MAX_JSON_VALUES + 1, BEFORE_VALUES, text) > MAX_JSON_VALUES
  ) {
    throw new ServiceError('validation', `JSON has too many values: at most ${MAX_JSON_VALUES}`)
  }
  const value: unknown = JSON.parse(text)
  if (mayBeDeep(text) && depthOf(text) > MAX_JSON_DEPTH) {
    throw new ServiceError('validation', `JSON is nested too deeply: at most ${MAX_JSON_DEPTH} levels`)
  }
  return value
}

/**
 * Returns whether a text has enough opening brackets to be too deep. It is cheap, because every order calls
 * it.
 */
function mayBeDeep(text: string): boolean {
  return countUpTo(MAX_JSON_DEPTH + 1, OPENINGS, text) > MAX_JSON_DEPTH
}

/** Counts the given characters in a text, up to a limit. Those inside strings count too. */
function countUpTo(limit: number, characters: readonly string[], text: string): number {
  let count = 0
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      count += 1
      if (count >= limit) return count
    }
  }
  return count
}

/** Returns the deepest level of a JSON text. Brackets inside strings do not count. */
function depthOf(text: string): number {
  let [depth, deepest, inString] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) inString = !inString
    else if (inString) {
      if (code === BACKSLASH) at += 1
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1
  }
  return deepest
}
