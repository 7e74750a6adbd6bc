import { join } from 'node:path'
import { isObject } from '../../client/answers/json.js'
import { visible } from '../../views/table/cells.js'
import { configFolder } from '../contexts/file.js'
import { CliError, usageError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { nearest } from '../framework/nearest.js'
import { type ConfigFile, changeConfigFile, readConfigFile, unusable } from '../io/config-file.js'
import type { Io } from '../io/io.js'
import type { Alias } from './expansion.js'

const VERSION = 1
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/

/** The aliases by their names. */
export type Aliases = ReadonlyMap<string, Alias>

const fileOf = (io: Pick<Io, 'env' | 'userHome'>): ConfigFile => ({
  path: join(configFolder(io), 'aliases.json'),
  code: 'aliases_unusable',
  repair: 'Repair or remove the file; svc alias set makes a new one.',
})

/**
 * Reads the aliases; a missing file has none.
 * @throws CliError (exit 1) for a file that is broken, of a later version, or that others may change
 */
export function readAliases(io: Pick<Io, 'env' | 'userHome'>): Aliases {
  const file = fileOf(io)
  const read = readConfigFile(file)
  if (read === undefined) return new Map()
  const { content } = read
  if (!isObject(content)) throw unusable(file, 'it is not a JSON object')
  const { aliases, version } = content
  if (typeof version === 'number' && version > VERSION) {
    throw unusable(file, `a later version of svc wrote it (format ${version})`, 'Use that version of svc.')
  }
  if (version !== VERSION || !isObject(aliases)) throw unusable(file, 'it has no aliases of format 1')
  return new Map(
    Object.entries(aliases).map(([name, line]) => {
      if (!NAME.test(name) || typeof line !== 'string')
        throw unusable(file, `aliases.${visible(name)} is not an alias`)
      return [name, { name, line }]
    }),
  )
}

/** Changes the aliases. @throws CliError (exit 1) when the file cannot be used or written */
export function changeAliases(io: Io, change: (now: Aliases) => Aliases): Promise<void> {
  return changeConfigFile(io, fileOf(io), () => {
    const lines = [...change(readAliases(io)).values()].map(({ line, name }) => [name, line] as const)
    return { version: VERSION, aliases: Object.fromEntries(lines.toSorted(([a], [b]) => (a < b ? -1 : 1))) }
  })
}

/** Returns an alias by its name. @throws CliError (exit 4) that names the nearest one */
export function aliasNamed(aliases: Aliases, name: string): Alias {
  const alias = aliases.get(name)
  if (alias !== undefined) return alias
  const near = nearest(name, [...aliases.keys()])
  throw new CliError(EXIT.notFound, `There is no alias ${visible(name)}.`, {
    code: 'not_found',
    hint: near === undefined ? 'See: svc alias list' : `Did you mean ${near}? See: svc alias list`,
  })
}

/** Returns the name of a new alias. @throws a usage error that says the rule */
export function newName(name: string): string {
  if (NAME.test(name)) return name
  throw usageError(
    `The name "${visible(name)}" is not the name of an alias: letters, digits, "_" and "-", at most 32, first a letter.`,
  )
}
