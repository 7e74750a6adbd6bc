import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Io } from '../../io/io.js'
import { PACKAGE_NAME, PACKAGE_ROOT } from '../../package.js'

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

/** What the commands of an upgrade by hand depend on. */
export interface ByHand {
  home: string
  /** A version, or `latest`. */
  version: string
  /** The folder of the package. */
  folder: string
  /** The unit of systemd that runs the daemon. */
  unit: string
}

/** Returns the prefix of npm of a global package. */
export const prefixOf = (folder: string): string => join(folder, '../../..')

const CONTAINER_FILES = ['/run/.containerenv', '/.dockerenv']

/** The commands of an upgrade by hand, for each way to install: those of docs/deployment.md. */
export const BY_HAND = {
  package: ({ home, version }: ByHand) => [
    'svc down',
    `cp -a ${home} ~/svc-$(date +%F)`,
    `npm install --global ${PACKAGE_NAME}@${version}`,
    'svc up --detach && svc doctor',
  ],
  systemd: ({ folder, home, unit, version }: ByHand) => [
    `sudo systemctl stop ${unit}`,
    `sudo cp -a ${home} /var/backups/${basename(home)}-$(date +%F)`,
    `sudo npm install --global --prefix ${prefixOf(folder)} ${PACKAGE_NAME}@${version}`,
    `sudo systemctl start ${unit}`,
  ],
  container: () => [
    'podman build -f deploy/Containerfile -t svc .',
    'podman exec svc svc backup',
    'podman stop svc && podman rm svc',
    'podman volume export svc-home > svc-$(date +%F).tar',
    'podman run -d --name svc --restart on-failure -p 127.0.0.1:5000:5000 -v svc-home:/home/node/svc svc',
  ],
  checkout: () => ['svc backup && svc down', 'git pull && npm ci', 'svc up --detach && svc doctor'],
  stopped: () => ['svc down', 'svc upgrade', 'svc up --detach && svc doctor'],
  'own unit': () => ['systemd-run --user --scope svc upgrade'],
  'user unit': ({ unit }: ByHand) => [
    `systemctl --user stop ${unit}`,
    'svc upgrade',
    `systemctl --user start ${unit}`,
  ],
} as const satisfies Record<string, (facts: ByHand) => readonly string[]>

/** Returns the refusal of an upgrade that a person must do: why, and with which commands. */
export function byHand(reason: string, way: keyof typeof BY_HAND, facts: ByHand): CliError {
  const commands = BY_HAND[way](facts).map((line) => `  ${line}`)
  const lines = [
    `${reason} Nothing was changed. By hand, after the close:`,
    ...commands,
    'More: docs/deployment.md.',
  ]
  return new CliError(EXIT.refused, lines.join('\n'), { code: 'by_hand', lines: true })
}

/** Who runs the command, and where. */
interface Surroundings {
  io: Pick<Io, 'env'>
  home: string
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
  const { containerFiles = CONTAINER_FILES, home, io, root = PACKAGE_ROOT, version } = given
  const uid = 'uid' in given ? given.uid : process.getuid?.()
  const folder = placeOf(resolve(root))
  const facts = { home, version, folder, unit: 'svc' }
  if (existsSync(join(folder, 'src'))) {
    throw byHand(`${folder} is a checkout, which git brings to another version.`, 'checkout', facts)
  }
  if (io.env.container || containerFiles.some((file) => existsSync(file))) {
    throw byHand('This is a container, of which a new one takes the place.', 'container', facts)
  }
  const found = globalAt(folder)
  if (!found) throw byHand(`${folder} was not installed by npm install --global.`, 'package', facts)
  if (uid === undefined) throw byHand('This system does not say who owns a file.', 'package', facts)
  if (uid === 0) throw byHand('svc upgrade does not run as root.', 'systemd', facts)
  const parts = [folder, dirname(folder), dirname(found.bin), home].filter((path) => existsSync(path))
  const denied = parts.find((path) => statSync(path).uid !== uid || !isWritable(path))
  if (denied !== undefined) {
    throw byHand(`${denied} does not belong to this user, or is write-protected.`, 'systemd', facts)
  }
  const open = parts.find((path) => path !== home && (statSync(path).mode & 0o022) !== 0)
  if (open !== undefined) {
    const reason = `Other users may change ${open}, and with it the program that has your keys.`
    throw new CliError(EXIT.refused, reason, { hint: `Close it first: chmod go-w ${open}` })
  }
  return found
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
  if (!folder.endsWith(`/lib/node_modules/${PACKAGE_NAME}`)) return undefined
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
