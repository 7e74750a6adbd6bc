import { createContext, useContext } from 'react'

/** A word that the command line may insert. */
export interface Candidate {
  value: string
  summary: string
}

/** A command that a line names. */
export interface NamedCommand {
  /** The names of the noun and of its verbs. */
  path: readonly string[]
  /** True when the line asks for the help of the command. */
  isHelp: boolean
}

/** The commands of `svc`, as the command line of the program runs them. */
export interface CommandAccess {
  /** The program that runs `svc`, and its first arguments. */
  program: readonly [string, ...string[]]
  /** The environment that leads to the same daemon, with the same credentials. */
  env: Readonly<Record<string, string | undefined>>
  /** Returns the words that run: with the command of an alias in its place. @throws Error for an alias that cannot run */
  expanded(words: readonly string[]): Promise<readonly string[]>
  /** Returns the command that expanded words name; undefined when that is not certain. */
  commandOf(words: readonly string[]): Promise<NamedCommand | undefined>
  /** Returns the words that may take the place of the last one. */
  complete(words: readonly string[]): Promise<readonly Candidate[]>
}

const CommandsContext = createContext<CommandAccess | undefined>(undefined)

export const CommandsProvider = CommandsContext.Provider

/** Returns the commands of `svc`. */
export function useCommands(): CommandAccess {
  const commands = useContext(CommandsContext)
  if (commands === undefined) throw new Error('No commands around this part of the screen')
  return commands
}
