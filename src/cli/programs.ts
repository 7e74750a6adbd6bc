/** The programs that the build keeps in one file each: that of `svc up` and `svc flow test`, and that of {@link COMPILED_NOUNS}. */
export type ProgramName = 'program' | 'commands'

/** The nouns that scripts call most. They only ask a daemon, so that their program is small. */
export const COMPILED_NOUNS: ReadonlySet<string> = new Set([
  ...['order', 'do', 'position', 'trade', 'holding', 'fund', 'pnl', 'why'],
  ...['market', 'quote', 'depth', 'history', 'search', 'symbol', 'expiry', 'chain', 'greeks', 'stream'],
])

/** Returns the compiled program that runs a command line. Undefined for commands that load little of a large program. */
export function programOf([noun = '', ...rest]: readonly string[]): ProgramName | undefined {
  if (noun === 'up' && !rest.includes('--detach')) return 'program'
  // It runs the whole service for each case.
  if (noun === 'flow' && rest[0] === 'test') return 'program'
  return COMPILED_NOUNS.has(noun) ? 'commands' : undefined
}
