import type { ChalkInstance } from 'chalk'
import { isObject, type JsonObject, parseJson, textMember } from '../../../client/answers/json.js'
import { type CellStyle, cellText, visible } from '../../../views/table/cells.js'
import { symbolOf } from '../../../views/text/symbol.js'
import { factsInWords } from '../../../views/text/words.js'

/** The width of the topic in a line. */
const TOPIC = 24
const SYMBOL = 14

export interface Line {
  time: unknown
  topic: string
  symbol: string
  words: string
}

/** Returns one line for a person: time, topic, symbol, words; cut with `…` where the terminal ends. */
export function humanLine({ time, topic, symbol, words }: Line, style: CellStyle, width: number): string {
  const at = cellText(time, 'time', { ...style, human: true, zone: false })
  const line = `${at}  ${topic.padEnd(TOPIC)} ${visible(symbol).padEnd(SYMBOL)} ${visible(words)}`.trimEnd()
  return line.length <= width ? line : `${line.slice(0, Math.max(1, width - 1))}…`
}

const OMITTED = new Set(['level', 'time', 'event', 'symbol', 'exchange', 'user_id'])
const TONES: Readonly<Record<string, 'red' | 'yellow' | 'dim'>> = {
  error: 'red',
  warn: 'yellow',
  debug: 'dim',
}

/** Returns a line of the daemon's log for a person. A line that is no JSON object stays as it is. */
export function logLine(text: string, style: CellStyle, width: number, paint: ChalkInstance): string {
  const entry = parseJson(text)
  if (!isObject(entry)) return text
  const { tone, ...line } = logWords(entry)
  const shown = humanLine(line, style, width)
  return `${tone === undefined ? shown : paint[tone](shown)}\n`
}

/** Returns an entry of the daemon's log in words, and its colour. */
export function logWords(entry: JsonObject): Line & { tone: 'red' | 'yellow' | 'dim' | undefined } {
  const level = textMember(entry, 'level') ?? ''
  const words = factsInWords(entry, OMITTED)
  return {
    time: entry.time,
    topic: textMember(entry, 'event') ?? '',
    symbol: symbolOf(entry),
    words: level === 'info' || level === '' ? words : `${level}: ${words}`,
    tone: TONES[level],
  }
}
