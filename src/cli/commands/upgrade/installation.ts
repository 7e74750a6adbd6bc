import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Io } from '../../io/io.js'
import { PACKAGE_NAME, PACKAGE_ROOT } from '../../package.js'
import { type AtHome, byHand, byHandFacts, inShell, isGlobal } from './by-hand.js'

/** A copy that `npm install --global` made for the user who runs it: the only kind that replaces itself. */
export interface Installation {
  /** The folder of the package. */
  folder: string
  /** The link to the command. */
  bin: string
  /** The folder beside the package in which an upgrade keeps the former and the next version. */
  stage: string
  /** The lock of an upgrade, beside what it replaces. */
  lock: string
}

const CONTAINER_FILES = ['/run/.containerenv', '/.dockerenv']

/** Who runs the command, and where. */
interface Surroundings extends AtHome {
  io: Pick<Io, 'env'>
  version: string
  root?: string
  uid?: number | undefined
  containerFiles?: readonly string[]
}

/**
 * Returns this installation. @throws CliError (exit 5) for one that does not replace itself, with the commands that do: in a container
 * or a checkout, as root, and where not everything belongs to this user
 */
export function ownInstallation(given: Surroundings): Installation {
  const { containerFiles = CONTAINER_FILES, io, root = PACKAGE_ROOT, settings, version } = given
  const uid = 'uid' in given ? given.uid : process.getuid?.()
  const folder = placeOf(resolve(root))
  const found = globalAt(folder)
  const program = [folder, ...(found ? [dirname(folder), dirname(found.bin)] : [])]
  const facts = byHandFacts({ settings }, { folder, folders: program, uid, version })
  if (existsSync(join(folder, 'src'))) {
    throw byHand(`${folder} is a checkout, which git brings to another version.`, 'checkout', facts)
  }
  if (io.env.container || containerFiles.some((file) => existsSync(file))) {
    throw byHand('This is a container, of which a new one takes the place.', 'container', facts)
  }
  if (!found) throw byHand(`${folder} was not installed by npm install --global.`, 'package', facts)
  if (uid === undefined) throw byHand('This system does not say who owns a file.', 'package', facts)
  if (uid === 0) throw byHand('svc upgrade does not run as root.', 'package', facts)
  const parts = [...program, settings.home].filter((path) => existsSync(path))
  const denied = parts.find((path) => statSync(path).uid !== uid)
  if (denied !== undefined) throw byHand(`${denied} does not belong to this user.`, 'package', facts)
  requireModes(parts, program)
  return found
}

/** @throws CliError (exit 5) for a part that this user cannot write, or a part of the program that others can write */
function requireModes(parts: readonly string[], program: readonly string[]): void {
  const shut = parts.filter((path) => !isWritable(path))
  if (shut.length > 0) {
    throw new CliError(EXIT.refused, `${shut.join(' and ')} cannot be written.`, {
      hint: `Open it first: chmod u+w ${shut.map(inShell).join(' ')}`,
    })
  }
  const open = program.filter((path) => parts.includes(path) && (statSync(path).mode & 0o022) !== 0)
  if (open.length === 0) return
  const [folder = '', ...rest] = program
  const others = open.filter((path) => rest.includes(path)).map(inShell)
  const commands = [
    ...(open.includes(folder) ? [`chmod -R go-w ${inShell(folder)}`] : []),
    ...(others.length > 0 ? [`chmod go-w ${others.join(' ')}`] : []),
  ]
  const reason = `Other users may change ${open.join(' and ')}, and with it the program that has your keys.`
  throw new CliError(EXIT.refused, reason, { hint: `Close it first: ${commands.join(' && ')}` })
}

const STAGE = `.${PACKAGE_NAME}-upgrade`

/** Returns whether an installation in a folder is gone, with what an upgrade of it has set aside. */
export const isGone = (folder: string): boolean =>
  !existsSync(folder) && !existsSync(join(dirname(folder), STAGE))

/** Returns the folder that a package belongs in. A program that an upgrade has set aside, or not yet put in place, may run. */
function placeOf(folder: string): string {
  const [modules, ...rest] = folder.split(`/${STAGE}/`)
  return rest.length > 0 ? join(modules ?? '', PACKAGE_NAME) : folder
}

/** Returns the global installation in a folder: its command is a link in the folder `bin` of the same prefix. */
function globalAt(folder: string): Installation | undefined {
  const modules = dirname(folder)
  if (!isGlobal(folder)) return undefined
  const bin = join(modules, '../../bin/svc')
  if (!existsSync(bin) || !realpathSync(bin).startsWith(`${realpathSync(modules)}/`)) return undefined
  return { folder, bin, stage: join(modules, STAGE), lock: join(modules, `${STAGE}.lock`) }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
