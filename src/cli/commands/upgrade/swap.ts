import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { crashPoint } from '../../../core/errors/index.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { PACKAGE_NAME } from '../../package.js'
import type { Installation } from './installation.js'
import { hasJournal } from './journal.js'

type Place = Pick<Installation, 'bin' | 'folder' | 'stage'>

/** The folder that gets the next version as npm installs it: a prefix of its own. */
export const nextPrefix = (stage: string): string => join(stage, 'next')

/** The next version, until it takes its place. */
export const nextFolder = (stage: string): string => join(nextPrefix(stage), 'lib/node_modules', PACKAGE_NAME)

/** The former version, once the next one has its place. */
export const formerFolder = (stage: string): string => join(stage, 'former')

/** Returns the command of a package. */
export const commandOf = (folder: string): string => join(folder, 'bin/svc')

/**
 * Begins the stage of an upgrade. The caller has the lock of the installation.
 * @throws CliError (exit 5) while the unfinished upgrade of another home needs what is there
 */
export function beginStage(stage: string, home: string): void {
  const mark = join(stage, 'home')
  const other = existsSync(mark) ? readFileSync(mark, 'utf8') : home
  if (other !== home && hasJournal(other)) {
    throw new CliError(EXIT.refused, `An upgrade of the home ${other} is not finished.`, {
      hint: `Finish it first: svc upgrade --home ${other}`,
    })
  }
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { mode: 0o755 })
  writeFileSync(mark, home)
}

/** Puts the next version in place of the installed one. It can be repeated, from wherever it was cut off. */
export function swapForward(place: Place): void {
  exchange(place, nextFolder(place.stage), formerFolder(place.stage))
}

/** Puts the former version in its place again, if it is not there. It can be repeated, too. */
export function swapBack(place: Place): void {
  exchange(place, formerFolder(place.stage), join(place.stage, 'failed'))
}

/**
 * Puts a package in place of the installed one, which is set aside. No system exchanges two folders in one step that Node offers,
 * so the link to the command leads to one of the two meanwhile: at every moment `svc` starts a complete program.
 */
function exchange({ bin, folder }: Place, incoming: string, aside: string): void {
  if (existsSync(incoming)) {
    if (existsSync(folder)) {
      lead(bin, incoming)
      crashPoint('upgrade.led')
      renameSync(folder, aside)
    }
    crashPoint('upgrade.aside')
    if (existsSync(aside)) lead(bin, aside)
    renameSync(incoming, folder)
    crashPoint('upgrade.placed')
  }
  lead(bin, folder)
}

/** Makes the link of the command lead to a package, at once. */
function lead(bin: string, folder: string): void {
  const fresh = `${bin}.svc-upgrade`
  rmSync(fresh, { force: true })
  symlinkSync(relative(dirname(bin), commandOf(folder)), fresh)
  renameSync(fresh, bin)
}
