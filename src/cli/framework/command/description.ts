import type { Completion, OptionSpec } from './option.js'

export interface ArgumentSpec {
  /** `<id>`, `[id]`, `<id...>`, `[id...]`. */
  syntax: string
  summary: string
  /** The field of the request that has its value; without it, the name of the argument is that of the field. */
  field?: string
  /** The fields that are the words of a variadic argument, under the names that its summary has. */
  fields?: readonly string[]
  choices?: readonly string[]
  complete?: Completion
  /** The values of each word of a variadic argument whose words differ, by position. */
  words?: readonly Pick<ArgumentSpec, 'choices' | 'complete'>[] | undefined
}

/** The texts of a command in help and completion. */
export interface CommandDescription {
  name: string
  aliases?: readonly string[]
  summary: string
  /** Command lines without `svc`, shown first in the help. Never with a secret. */
  examples: readonly string[]
  details?: string
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  verbs?: readonly CommandDescription[]
  /** The columns of its list, which `--columns` and `--sort` complete. */
  columns?: readonly { readonly key: string }[]
  /** The heading of this verb in the help of its noun, when the noun has many verbs. */
  group?: string
  /** Present when the command runs without a verb. */
  run?: unknown
}

/** Other names of verbs, the same for every noun: one verb lists, one shows. */
const VERB_ALIASES: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  show: ['get'],
  get: ['show'],
  status: ['show', 'get'],
}

/** Returns the other names of a verb. A name that another verb of the noun has is left out. */
export function aliasesOf(verb: CommandDescription, noun: CommandDescription): readonly string[] {
  const taken = new Set((noun.verbs ?? []).map(({ name }) => name))
  return [...(verb.aliases ?? []), ...(VERB_ALIASES[verb.name] ?? [])].filter((name) => !taken.has(name))
}
