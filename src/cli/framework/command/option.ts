/** The values that a shell completes: fixed words, or a kind that completion/values.ts reads. */
export type Completion =
  | readonly string[]
  | 'approvals'
  | 'orders'
  | 'gtts'
  | 'tokens'
  | 'sessions'
  | 'brokers'
  | 'journal'
  | 'workflows'
  | 'versions'
  | 'rules'
  | 'settings'
  | 'sandboxSettings'
  | 'nodes'
  | 'indicators'
  | 'runs'
  | 'strategyRuns'
  | 'strategyVersions'
  | 'strategyEventKinds'
  | 'scopes'
  | 'bans'
  | 'suspects'
  | 'banSettings'
  | 'symbols'
  | 'expiries'
  | 'topics'
  | 'strategies'
  | 'strategyNames'
  | 'events'
  | 'runningRuns'
  | 'contexts'
  | 'aliases'
  | 'columns'
  | 'sortColumns'

/** An option of a command, or of all of them. */
export interface OptionSpec {
  /** `--price <price>`, `--yes`. */
  flags: string
  summary: string
  /** The field of the request that has its value; without it, the name of the option is that of the field. */
  field?: string
  /** The only values that the option takes. */
  choices?: readonly string[]
  /** Values to suggest; the daemon checks the value. */
  complete?: Completion
  /** True for an earlier name, which is accepted and shown nowhere. */
  hidden?: true
  /** True when the option may be given several times; its value is then a list. */
  repeatable?: boolean
}

/** Returns the options that help, manual pages and completion show. */
export function shownOptions(options: readonly OptionSpec[] = []): readonly OptionSpec[] {
  return options.filter(({ hidden }) => hidden !== true)
}
