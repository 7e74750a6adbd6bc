import type { Io } from '../../io/io.js'
import type { CommandDescription } from './description.js'

export type NounGroup = 'daemon' | 'account' | 'trade' | 'market' | 'flow' | 'control' | 'more'

/** The entry of a noun before its module is loaded. */
export interface NounEntry<Spec = CommandDescription> {
  name: string
  aliases?: readonly string[]
  group: NounGroup
  /** Hidden from help and completion. */
  hidden?: true
  summary: string
  load(): Promise<Spec>
}

/** The program that a command is part of. A command does not know the table of nouns, which loads it. */
export interface Program {
  version: string
  nouns: readonly NounEntry[]
  /** Runs another command line, and returns its exit status. */
  run(argv: readonly string[], io: Io): Promise<number>
}

/** Returns the nouns that help and completion show. */
export function visibleNouns<Noun extends Pick<NounEntry, 'hidden'>>(
  nouns: readonly Noun[],
): readonly Noun[] {
  return nouns.filter((noun) => !noun.hidden)
}
