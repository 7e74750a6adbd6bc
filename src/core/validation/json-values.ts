/** The bounds of a JSON text from outside: more than the largest request has, and few enough to parse in some milliseconds. */
export const MAX_JSON_VALUES = 100_000
/** The most members of one object. Each name of a large object costs ten times as much as an item of a list. */
export const MAX_JSON_MEMBERS = 5_000

const BEFORE_VALUES = ['{', '[', ','] as const
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const [OPEN_LIST, CLOSE_LIST] = [0x5b, 0x5d]
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d]

/** Returns what a JSON text has too much of, without parsing it; undefined if it is within the bounds. */
export function excessOf(text: string): string | undefined {
  // A text has no more values than characters, so a small one needs no count.
  if (text.length <= MAX_JSON_MEMBERS) return undefined
  if (exceeds(MAX_JSON_VALUES, BEFORE_VALUES, text)) return `too many values: at most ${MAX_JSON_VALUES}`
  const isWide = exceeds(MAX_JSON_MEMBERS, [':'], text) && shapeOf(text).widest > MAX_JSON_MEMBERS
  return isWide ? `too many members in one object: at most ${MAX_JSON_MEMBERS}` : undefined
}

/** Returns whether a text has more than a number of characters of a kind. Those inside strings count too. */
export function exceeds(limit: number, characters: readonly string[], text: string): boolean {
  let count = 0
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      count += 1
      if (count > limit) return true
    }
  }
  return false
}

/** Returns the deepest level of a JSON text and the most members of one object. Signs inside strings do not count. */
export function shapeOf(text: string): { deepest: number; widest: number } {
  const members: number[] = []
  let [deepest, widest, inString] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) inString = !inString
    else if (inString) {
      if (code === BACKSLASH) at += 1
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      deepest = Math.max(deepest, members.push(0))
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) members.pop()
    else if (code === COLON && members.length > 0) {
      const own = (members[members.length - 1] ?? 0) + 1
      members[members.length - 1] = own
      widest = Math.max(widest, own)
    }
  }
  return { deepest, widest }
}
