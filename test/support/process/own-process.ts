/** The commands that run in a process of their own: they start or end a daemon, hold the terminal, or serve its streams. */
export const IN_OWN_PROCESS: ReadonlySet<string> = new Set([
  'up',
  'down',
  'status',
  'demo',
  'tui',
  'mcp',
  'self-check',
])
