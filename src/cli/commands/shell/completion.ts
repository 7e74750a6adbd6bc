import { visible } from '../../../views/table/cells.js'
import { isNounOf } from '../../aliases/expand.js'
import { firstWordAt, wordsToComplete } from '../../aliases/expansion.js'
import { type Aliases, readAliases } from '../../aliases/file.js'
import { type Candidate, candidatesFor, type Place } from '../../completion/candidates.js'
import { COMPLETION_SCRIPTS } from '../../completion/scripts.js'
import { valueReader } from '../../completion/values.js'
import type { NounSpec } from '../../framework/command/command.js'
import { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { readSettings } from '../../framework/globals.js'

const SHELL_NAMES = ['bash', 'zsh', 'fish'] as const

const INSTALL: Readonly<Record<(typeof SHELL_NAMES)[number], string>> = {
  bash: 'completion bash > ~/.local/share/bash-completion/completions/svc',
  zsh: 'completion zsh > ~/.zfunc/_svc',
  fish: 'completion fish > ~/.config/fish/completions/svc.fish',
}

export const completion: NounSpec = {
  summary: 'Prints a completion script, which asks `svc` itself for the words.',
  examples: Object.values(INSTALL),
  verbs: SHELL_NAMES.map((name) => ({
    name,
    summary: `Prints the completion script of ${name}.`,
    examples: [INSTALL[name]],
    async run(context) {
      context.out.write(COMPLETION_SCRIPTS[name])
      return EXIT.done
    },
  })),
}

/**
 * The command that the completion scripts call with the words of the line: `svc __complete -- order pl`. Prints
 * nothing when it fails.
 */
export const complete: NounSpec = {
  summary: 'Prints the candidates for shell completion.',
  examples: [],
  arguments: [{ syntax: '[words...]', summary: 'the words of the line so far' }],
  async run(context, input) {
    const found = await completionsOf(input.words(0), context)
    context.out.write(found.map(({ value, summary }) => `${visible(value)}\t${visible(summary)}\n`).join(''))
    return EXIT.done
  },
}

/** Returns the words that may take the place of the last one. */
export async function completionsOf(words: readonly string[], context: Context): Promise<Candidate[]> {
  const aliases = aliasesOf(context)
  const at = firstWordAt(words)
  const isLast = at === words.length - 1
  const alias = isLast ? undefined : aliases.get(words[at] ?? '')
  const meant = alias ? [...words.slice(0, at), ...wordsToComplete(alias, words.slice(at + 1))] : words
  const found = await candidatesFor(
    meant,
    context.nouns,
    valueReader((place) => contextAt(place, context)),
  )
  if (!isLast) return found
  const typed = (words.at(-1) ?? '').toLowerCase()
  const own = [...aliases.values()].filter(({ name }) => name.toLowerCase().startsWith(typed))
  return [...found, ...own.map(({ line, name }) => ({ value: name, summary: `alias: svc ${line}` }))]
}

/** Returns the aliases that no command hides; none where their file cannot be used, which other commands report. */
function aliasesOf({ io, nouns }: Context): Aliases {
  try {
    const isNoun = isNounOf(nouns)
    return new Map([...readAliases(io)].filter(([name]) => !isNoun(name)))
  } catch {
    return new Map()
  }
}

/** Completion must not hang on a daemon that does not answer. */
const PATIENCE = '2s'

/** The options of a line that say which daemon to ask, as the parser names them. */
const GIVEN = [
  ['home', 'home'],
  ['url', 'url'],
  ['context', 'context'],
  ['ca-file', 'caFile'],
  ['apikey', 'apikey'],
  ['apikey-file', 'apikeyFile'],
] as const

/** Returns a context with the options of the line that say which daemon to ask, and with which credential. */
function contextAt({ options }: Place, { io, program }: Context): Context {
  const given = GIVEN.flatMap(([name, option]) => {
    const value = options.get(name)
    return value === undefined ? [] : [[option, value] as const]
  })
  return new Context(io, readSettings({ ...Object.fromEntries(given), timeout: PATIENCE }, io), program)
}
