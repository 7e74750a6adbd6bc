import { aliasesOf, type CommandDescription } from '../framework/command/description.js'
import type { NounEntry } from '../framework/command/noun.js'
import { usageError } from '../framework/errors.js'
import { nearestCommand } from '../framework/nearest.js'
import { TOPIC_NAMES } from './topic-names.js'

/** A command by its words: its spec and its path, such as `svc order place`. */
export interface FoundCommand {
  path: string
  spec: CommandDescription
}

/**
 * Returns the command that words name.
 * @param mayHaveArguments true if words after the command are arguments of it
 * @throws a usage error that names the nearest one, or topic
 */
export async function commandNamed(
  [name = '', ...rest]: readonly string[],
  nouns: readonly NounEntry[],
  mayHaveArguments = false,
): Promise<FoundCommand> {
  const noun = nouns.find((one) => one.name === name || one.aliases?.includes(name))
  if (!noun) throw unknown(name, [...nouns.map((one) => one.name), ...TOPIC_NAMES])
  let [spec, path] = [await noun.load(), `svc ${noun.name}`]
  for (const word of rest) {
    const verb = spec.verbs?.find((one) => one.name === word || aliasesOf(one, spec).includes(word))
    if (!verb && mayHaveArguments) break
    if (!verb)
      throw unknown(
        word,
        (spec.verbs ?? []).map((one) => one.name),
      )
    ;[spec, path] = [verb, `${path} ${verb.name}`]
  }
  return { path, spec }
}

function unknown(word: string, known: readonly string[]): Error {
  const near = nearestCommand(word, known)
  return usageError(`There is no help for "${word}".`, near ? `Did you mean ${near}?` : 'See: svc help')
}
