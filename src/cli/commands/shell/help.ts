import type { NounSpec } from '../../framework/command/command.js'
import { aliasesOf } from '../../framework/command/description.js'
import { type NounEntry, visibleNouns } from '../../framework/command/noun.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { nearest } from '../../framework/nearest.js'
import { formatHelp, formatRootHelp, helpWidth } from '../../help/help.js'
import { TOPICS } from '../../help/topics.js'

export const help: NounSpec = {
  summary: 'Help for a command, or one of the topics environment, exit-codes, formatting, files.',
  examples: ['help order place', 'help exit-codes', 'help environment'],
  arguments: [{ syntax: '[command-or-topic...]', summary: 'command or topic', complete: 'topics' }],
  async run(context, input) {
    context.out.write(await helpFor(input.words(0), visibleNouns(context.nouns), helpWidth(context.io)))
    return EXIT.done
  },
}

async function helpFor(
  words: readonly string[],
  nouns: readonly NounEntry[],
  width: number,
): Promise<string> {
  const [name, ...rest] = words
  if (name === undefined) return formatRootHelp(nouns, width)
  const topic = TOPICS[name]
  if (topic) return topic()
  const noun = nouns.find((one) => one.name === name || one.aliases?.includes(name))
  if (!noun) throw unknown(name, [...nouns.map((one) => one.name), ...Object.keys(TOPICS)])
  let [spec, path] = [await noun.load(), `svc ${noun.name}`]
  for (const word of rest) {
    const verb = spec.verbs?.find((one) => one.name === word || aliasesOf(one, spec).includes(word))
    if (!verb)
      throw unknown(
        word,
        (spec.verbs ?? []).map((one) => one.name),
      )
    ;[spec, path] = [verb, `${path} ${verb.name}`]
  }
  return formatHelp(path, spec, width)
}

function unknown(word: string, known: readonly string[]): Error {
  const near = nearest(word, known)
  return usageError(`There is no help for "${word}".`, near ? `Did you mean ${near}?` : 'See: svc help')
}
