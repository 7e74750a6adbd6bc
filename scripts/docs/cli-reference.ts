import type { CommandSpec } from '../../src/cli/framework/command/command.js'
import { formatHelp } from '../../src/cli/help/help.js'
import { VISIBLE_NOUNS } from '../../src/cli/nouns.js'
import { code } from './table.js'

/** The last line of every help text; a page with all of them does not repeat it. */
const POINTER = /\n+Options of every command: svc --help\n$/

/** Returns every command with its help text, noun by noun. */
export async function cliReference(): Promise<string> {
  const nouns = await Promise.all(VISIBLE_NOUNS.map((noun) => noun.load()))
  return nouns.flatMap((noun) => chapter(`svc ${noun.name}`, noun, '###')).join('\n\n')
}

function chapter(path: string, spec: CommandSpec, level: string): string[] {
  const help = formatHelp(path, spec).replace(POINTER, '')
  const own = `${level} ${code(path)}\n\n${'```'}text\n${help}\n${'```'}`
  return [own, ...(spec.verbs ?? []).flatMap((verb) => chapter(`${path} ${verb.name}`, verb, `${level}#`))]
}
