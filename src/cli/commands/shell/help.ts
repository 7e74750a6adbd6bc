import { commandOf, isNounOf, standsFor } from '../../aliases/expand.js'
import { readAliases } from '../../aliases/file.js'
import type { NounSpec } from '../../framework/command/command.js'
import { visibleNouns } from '../../framework/command/noun.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { commandNamed } from '../../help/find.js'
import { formatHelp, formatRootHelp, helpWidth } from '../../help/help.js'
import { topicText } from '../../help/topics.js'

export const help: NounSpec = {
  summary: 'Help for a command, an alias or a topic; without a word, all commands and topics.',
  examples: ['help order place', 'help exit-codes', 'help filters'],
  arguments: [{ syntax: '[command-or-topic...]', summary: 'command or topic', complete: 'topics' }],
  async run(context, input) {
    context.out.write(await helpFor(input.words(0), context))
    return EXIT.done
  },
}

async function helpFor(words: readonly string[], context: Context): Promise<string> {
  const [name] = words
  const [nouns, width] = [visibleNouns(context.nouns), helpWidth(context.io)]
  if (name === undefined) return formatRootHelp(nouns, width)
  const topic = isNounOf(nouns)(name) ? undefined : topicText(name)
  if (topic !== undefined) return topic
  const alias = isNounOf(context.nouns)(name) ? undefined : readAliases(context.io).get(name)
  const { path, spec } = await commandNamed(alias ? commandOf(alias) : words, nouns, alias !== undefined)
  return `${alias ? `${standsFor(alias)}\n\n` : ''}${formatHelp(path, spec, width)}`
}
