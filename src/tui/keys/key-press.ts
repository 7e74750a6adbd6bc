import type { Key } from 'ink'

/** One press of a key, or a pasted text. */
export interface KeyPress {
  /** The name as a key table writes it: `a`, `A`, `space`, `enter`, `ctrl-k`, `shift-tab`, `pgdn`; `paste` for a pasted text. */
  name: string
  /** The text that the key types; empty for a key that types none. */
  text: string
}

const NAMED = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pgup'],
  ['pageDown', 'pgdn'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  // Most terminals send this code for the backspace key.
  ['delete', 'backspace'],
] as const satisfies readonly (readonly [keyof Key, string])[]

const graphemes = new Intl.Segmenter()

/** Returns the presses that one piece of input stands for: fast typing arrives as one piece. */
export function pressesOf(input: string, key: Key): readonly KeyPress[] {
  const named = NAMED.find(([member]) => key[member] === true)
  if (named !== undefined) return [{ name: named[1], text: '' }]
  if (key.tab) return [{ name: key.shift ? 'shift-tab' : 'tab', text: '' }]
  if (key.ctrl) return [{ name: `ctrl-${input}`, text: '' }]
  if (key.meta) return [{ name: `alt-${input}`, text: '' }]
  return [...graphemes.segment(input)].map(({ segment }) => pressOf(segment))
}

/** The keys that are one control character. Ink names one only if it arrives alone. */
const CONTROLS = new Map([
  ...[...'abcdefghijklmnopqrstuvwxyz'].map(
    (letter, at) => [String.fromCharCode(at + 1), `ctrl-${letter}`] as const,
  ),
  ...(['\r', '\n', '\r\n'] as const).map((text) => [text, 'enter'] as const),
  ...([
    ['\t', 'tab'],
    ['\b', 'backspace'],
    ['\u007f', 'backspace'],
    ['\u001b', 'esc'],
  ] as const),
])

function pressOf(text: string): KeyPress {
  if (text === ' ') return { name: 'space', text }
  const name = CONTROLS.get(text)
  return name === undefined ? { name: text, text } : { name, text: '' }
}

/** A word of a key table: a character, or a named key, with its modifiers. */
const KEY_NAME =
  /^(?:(?:ctrl|alt)-[^\s]|shift-tab|tab|up|down|left|right|pgup|pgdn|home|end|enter|esc|backspace|space|[^\s])$/u

export const isKeyName = (name: string): boolean => KEY_NAME.test(name)
