import type { Column } from '../../../views/table/column.js'
import { isNounOf } from '../../aliases/expand.js'
import { checkLine } from '../../aliases/expansion.js'
import { aliasNamed, changeAliases, newName, readAliases } from '../../aliases/file.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

const COLUMNS = [
  { key: 'name' },
  { key: 'command' },
  { key: 'hidden', title: 'HIDDEN BY A COMMAND', leaves: 1 },
] as const satisfies readonly Column[]

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists your aliases.',
  examples: ['alias list', 'alias list --json'],
  columns: COLUMNS,
  async run(context) {
    const isNoun = isNounOf(context.nouns)
    const rows = [...readAliases(context.io).values()].map(({ line, name }) => ({
      name,
      command: line,
      hidden: isNoun(name),
    }))
    const empty = "No aliases. Make one: svc alias set b 'order place $1 NSE BUY $2'"
    await context.out.list({ rows, columns: COLUMNS, id: 'name', empty })
    return EXIT.done
  },
}

const set: CommandSpec = {
  name: 'set',
  summary: 'Gives a command line a name of your own.',
  details:
    '$1 to $9 are the words after the name, each one word whatever is in it; more words follow at the end. No shell reads the\n' +
    'line. A name of a command cannot be an alias, and an alias begins with a command, not with another alias. It asks every\n' +
    'question that its command asks: --yes, --confirm and --force are typed, never stored.',
  examples: [
    "alias set b 'order place $1 NSE BUY $2 --product MIS'",
    "alias set mine 'order list --strategy demo --sort -timestamp'",
  ],
  arguments: [
    { syntax: '<name>', summary: 'letters, digits, "_" and "-"; at most 32' },
    { syntax: '<command>', summary: 'the command line without svc, in quotes' },
  ],
  async run(context, input) {
    const [name, line] = [
      newName(input.required(0)),
      input
        .required(1)
        .trim()
        .replace(/^svc\s+/, ''),
    ]
    const isNoun = isNounOf(context.nouns)
    if (isNoun(name)) throw usageError(`${name} is a command of svc; an alias cannot take its place.`)
    checkLine(line, isNoun)
    let before: string | undefined
    await changeAliases(context.io, (now) => {
      before = now.get(name)?.line
      return new Map([...now, [name, { name, line }]])
    })
    const instead = before === undefined || before === line ? '' : ` It was: svc ${before}`
    await context.out.acted(
      { status: 'success', name, command: line },
      `svc ${name} is now svc ${line}.${instead}`,
    )
    return EXIT.done
  },
}

const remove: CommandSpec = {
  name: 'remove',
  summary: 'Removes an alias.',
  examples: ['alias remove b'],
  arguments: [{ syntax: '<name>', summary: 'name of an alias', complete: 'aliases' }],
  async run(context, input) {
    const name = input.required(0)
    await changeAliases(context.io, (now) => {
      aliasNamed(now, name)
      return new Map([...now].filter(([one]) => one !== name))
    })
    await context.out.acted({ status: 'success', removed: name }, `The alias ${name} is removed.`)
    return EXIT.done
  },
}

export const alias: NounSpec = {
  summary: 'Your own names for command lines.',
  details:
    "After svc alias set b 'order place $1 NSE BUY $2', svc b SBIN 10 is svc order place SBIN NSE BUY 10, and svc b --help\n" +
    'shows that. Aliases are kept with the contexts, in SVC_CONFIG_DIR.',
  examples: ["alias set b 'order place $1 NSE BUY $2'", 'alias list'],
  verbs: [set, list, remove],
}
