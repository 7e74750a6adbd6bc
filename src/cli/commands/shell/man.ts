import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NounSpec } from '../../framework/command/command.js'
import { visibleNouns } from '../../framework/command/noun.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { commandNamed, type FoundCommand } from '../../help/find.js'
import { formatHelp, formatRootHelp, helpWidth } from '../../help/help.js'
import { manualOf, manualOfProgram } from '../../help/manual.js'
import { topicText } from '../../help/topics.js'

export const man: NounSpec = {
  summary: 'Shows the manual page of a command, or of the program.',
  examples: ['man', 'man order place', 'man order place --roff > svc-order-place.1'],
  details: 'On a terminal the program man shows it; without man, and in a pipe, it is plain text.',
  arguments: [{ syntax: '[command-or-topic...]', summary: 'command or topic', complete: 'topics' }],
  options: [{ flags: '--roff', summary: 'print the source of the page, as man reads it' }],
  async run(context, input) {
    const words = input.words(0)
    const nouns = visibleNouns(context.nouns)
    const { io, out, program } = context
    const topic = words.length === 1 && !input.flag('roff') ? topicText(words[0] ?? '') : undefined
    if (topic !== undefined) {
      out.write(topic)
      return EXIT.done
    }
    const found = words.length === 0 ? undefined : await commandNamed(words, nouns)
    const page = found ? manualOf(found, program.version) : manualOfProgram(nouns, program.version)
    if (input.flag('roff')) out.write(page)
    else if (!io.stdout.isTty || !(await shown(page, found, context))) {
      out.write(
        found ? formatHelp(found.path, found.spec, helpWidth(io)) : formatRootHelp(nouns, helpWidth(io)),
      )
    }
    return EXIT.done
  },
}

/** Shows a page with the program man. @returns false when there is none, or when it could not */
async function shown(page: string, found: FoundCommand | undefined, { io }: Context): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-man-'))
  try {
    // A path with a slash is a file for every man.
    const file = join(folder, `${(found?.path ?? 'svc').replaceAll(' ', '-')}.1`)
    writeFileSync(file, page, { mode: 0o600 })
    const child = spawn('man', [file], { stdio: 'inherit', env: { ...process.env, ...io.env } })
    return await new Promise((resolve) => {
      child.once('error', () => resolve(false))
      child.once('exit', (code) => resolve(code === 0))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
