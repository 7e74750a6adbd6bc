import { join, resolve } from 'node:path'
import { isObject, type JsonObject, textMember } from '../../client/answers/json.js'
import { visible } from '../../views/table/cells.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { nearest } from '../framework/nearest.js'
import { type ConfigFile, changeConfigFile, readConfigFile, unusable as refusal } from '../io/config-file.js'
import type { Io } from '../io/io.js'
import { type ContextColour, colourOf, contextUrl, isContextName, LOCAL } from './words.js'

/** A daemon that the user has named. Its credentials and its CA are files in its folder. */
export interface KnownDaemon {
  url: string
  /** The id that it proves. */
  id: string
  colour: ContextColour | undefined
}

/** The content of the file: the contexts by their names, and the one that commands use. */
export interface Contexts {
  current: string
  daemons: ReadonlyMap<string, KnownDaemon>
}

const VERSION = 1
const FILE = 'contexts.json'

type Surroundings = Pick<Io, 'env' | 'userHome'>

/** `SVC_CONFIG_DIR` > `$XDG_CONFIG_HOME/svc` > `~/.config/svc`. */
export function configFolder({ env, userHome }: Surroundings): string {
  const { SVC_CONFIG_DIR, XDG_CONFIG_HOME } = env
  return resolve(SVC_CONFIG_DIR || join(XDG_CONFIG_HOME || join(userHome, '.config'), 'svc'))
}

/** Returns the folder of a context: its credentials, and its CA. */
export function contextFolder(io: Surroundings, name: string): string {
  return join(configFolder(io), 'contexts', name)
}

export function contextsFile(io: Surroundings): string {
  return join(configFolder(io), FILE)
}

/**
 * Reads the contexts; a missing file has none.
 * @throws CliError (exit 1) for a file that is broken, of a later version, or that others may change
 */
export function readContexts(io: Surroundings): Contexts {
  const file = contextsFile(io)
  const read = readConfigFile(fileOf(file))
  return read === undefined ? { current: LOCAL, daemons: new Map() } : parsed(file, read.content)
}

/** Returns the name of the current context; local for a file that cannot be used, which other commands report. */
export function currentContext(io: Surroundings): string {
  try {
    return readContexts(io).current
  } catch {
    return LOCAL
  }
}

/** Returns the name of a context with exactly this URL; undefined if there is none, or the file cannot be used. */
export function contextAt(io: Surroundings, url: string): string | undefined {
  try {
    return [...readContexts(io).daemons].find(([, daemon]) => daemon.url === url)?.[0]
  } catch {
    return undefined
  }
}

function parsed(file: string, content: unknown): Contexts {
  if (!isObject(content)) throw unusable(file, 'it is not a JSON object')
  const { version, contexts, current } = content
  if (typeof version === 'number' && version > VERSION) {
    throw unusable(file, `a later version of svc wrote it (format ${version})`, 'Use that version of svc.')
  }
  if (version !== VERSION || !isObject(contexts)) throw unusable(file, 'it has no contexts of format 1')
  const daemons = new Map(
    Object.entries(contexts).map(([name, entry]) => [name, daemonOf(file, name, entry)]),
  )
  if (typeof current !== 'string' || (current !== LOCAL && !daemons.has(current))) {
    throw unusable(file, `current must be local or one of its contexts`)
  }
  return { current, daemons }
}

function daemonOf(file: string, name: string, entry: unknown): KnownDaemon {
  const where = `contexts.${visible(name)}`
  if (!isContextName(name)) throw unusable(file, `${where} is not the name of a context`)
  const row: JsonObject | undefined = isObject(entry) ? entry : undefined
  const [url, id] = [row && textMember(row, 'url'), row && textMember(row, 'id')]
  if (url === undefined) throw unusable(file, `${where}.url is missing`)
  if (id === undefined || !/^[0-9a-f]{32}$/.test(id)) throw unusable(file, `${where}.id is not an id`)
  try {
    return { url: contextUrl(url), id, colour: colourOf(row && textMember(row, 'color')) }
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace('--url', `${where}.url`) : 'a wrong URL'
    throw unusable(file, reason.replace(/\.$/, ''))
  }
}

const fileOf = (path: string): ConfigFile => ({
  path,
  code: 'contexts_unusable',
  repair: 'Repair or remove the file; svc context add makes a new one.',
})

const unusable = (path: string, problem: string, hint?: string) => refusal(fileOf(path), problem, hint)

/** Returns a context by its name. @throws CliError (exit 4) that names the nearest one */
export function daemonNamed({ daemons }: Contexts, name: string): KnownDaemon {
  const daemon = daemons.get(name)
  if (daemon !== undefined) return daemon
  const near = nearest(name, [...daemons.keys(), LOCAL], 2)
  throw new CliError(EXIT.notFound, `There is no context ${visible(name)}.`, {
    code: 'not_found',
    hint: near === undefined ? 'See: svc context list' : `Did you mean ${near}? See: svc context list`,
  })
}

/**
 * Changes the file. Two commands at once change it one after the other; a reader sees the old file or the new one.
 * @throws CliError (exit 1) when the file cannot be used or written
 */
export function changeContexts(io: Io, change: (now: Contexts) => Contexts): Promise<void> {
  return changeConfigFile(io, fileOf(contextsFile(io)), () => written(change(readContexts(io))))
}

function written({ current, daemons }: Contexts) {
  const contexts = Object.fromEntries(
    [...daemons].map(([name, { colour, id, url }]) => [
      name,
      { url, id, ...(colour !== undefined && { color: colour }) },
    ]),
  )
  return { version: VERSION, current, contexts }
}
