import { Text } from 'ink'
import { cut } from '../screen/fit.js'

/** A key with its meaning. The same table handles the keys and names them on the screen. */
export interface KeyHelp {
  /** The key as people write it: `a`, `space`, `↑↓`. */
  keys: string
  does: string
  /** The command that does the same. */
  command?: string
}

/** The line with the keys that work now. */
export function KeyLine({ keys, width }: { keys: readonly KeyHelp[]; width: number }) {
  const text = keys.map((one) => `${one.keys} ${one.does}`).join('  ')
  return <Text dimColor>{cut(text, width)}</Text>
}
