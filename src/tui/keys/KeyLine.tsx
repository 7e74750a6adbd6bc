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

/** The line with the keys that work now. */
export function KeyLine({ keys, width }: { keys: readonly KeyHelp[]; width: number }) {
  return <Text dimColor>{cut(keyLineText(keys, width), width)}</Text>
}

/** Returns the keys that fit into a line, each with its whole meaning. The last one always stays: it leads to the others. */
export function keyLineText(keys: readonly KeyHelp[], width: number): string {
  const texts = keys.map((one) => `${one.keys} ${one.does}`)
  while (texts.length > 1 && stringWidth(texts.join(GAP)) > width) texts.splice(-2, 1)
  return texts.join(GAP)
}
