import { Text } from 'ink'
import stringWidth from 'string-width'
import { cut } from '../terminal/fit.js'

/** A key with its meaning. The same table handles the keys and names them on the screen. */
export interface KeyHelp {
  /** The key as people write it: `a`, `space`, `↑↓`. */
  keys: string
  does: string
  /** The command that does the same. */
  command?: string
}

const GAP = '  '

interface KeyLineProps {
  keys: readonly KeyHelp[]
  /** The keys that work on every screen. */
  everywhere?: readonly KeyHelp[]
  width: number
}

/** The line with the keys that work now. */
export function KeyLine({ keys, everywhere = [], width }: KeyLineProps) {
  return <Text dimColor>{cut(keyLineText(keys, everywhere, width), width)}</Text>
}

/**
 * Returns the keys that fit into a line, each with its whole meaning. Those that work everywhere always stay, without their
 * meanings where there is no room; the last of them leads to all others.
 */
export function keyLineText(keys: readonly KeyHelp[], everywhere: readonly KeyHelp[], width: number): string {
  const texts = keys.map(textOf)
  const whole = [...texts, ...everywhere.map(textOf)].join(GAP)
  if (stringWidth(whole) <= width) return whole
  const last = everywhere.at(-1)
  const end = last && [...everywhere.slice(0, -1).map((one) => one.keys), textOf(last)].join(' ')
  const line = () => [...texts, ...(end === undefined ? [] : [end])].join(GAP)
  while (texts.length > (end === undefined ? 1 : 0) && stringWidth(line()) > width) texts.pop()
  return line()
}

const textOf = ({ keys, does }: KeyHelp) => `${keys} ${does}`
