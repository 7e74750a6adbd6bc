import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { crashPoint } from '../../../core/errors/index.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { move } from '../../io/move.js'
import { PACKAGE_NAME, versionIn } from '../../package.js'
import { inShell, prefixOf } from './by-hand.js'
import type { Installation } from './installation.js'
import { mayHaveJournal } from './journal.js'

type Place = Pick<Installation, 'bin' | 'folder' | 'stage'>

/** The next version, until it takes its place. */
export const nextFolder = (stage: string): string => join(stage, 'next')

/** A copy of the former version: what `svc` starts while folders move. */
export const formerFolder = (stage: string): string => join(stage, 'former')

/** The folder of the former version, while the next one has its place. */
const asideFolder = (stage: string): string => join(stage, 'aside')

/** Returns the command of a package. */
export const commandOf = (folder: string): string => join(folder, 'bin/svc')

/** Returns the folder of the package that `svc` starts; undefined if the link leads nowhere. */
export function activeFolder({ bin }: Pick<Place, 'bin'>): string | undefined {
  try {
    return dirname(dirname(realpathSync(bin)))
  } catch {
    return undefined
  }
}

/** Returns whether `svc` starts the package in its own place. */
export const isInPlace = (place: Pick<Place, 'bin' | 'folder'>): boolean =>
  existsSync(place.folder) && activeFolder(place) === realpathSync(place.folder)

/** The file in a stage with the home whose upgrade it is of. */
const markOf = (stage: string): string => join(stage, 'home')

/** Returns the home whose upgrade has a stage, if that upgrade is not finished, as far as one can see. */
function unfinishedHome(stage: string): string | undefined {
  if (!existsSync(markOf(stage))) return undefined
  const home = readFileSync(markOf(stage), 'utf8')
  return mayHaveJournal(home) ? home : undefined
}

/** Returns how a person repairs an installation whose command does not start the package in its place. */
export function repairOf({ folder, stage }: Pick<Place, 'folder' | 'stage'>): string {
  const home = unfinishedHome(stage)
  if (home !== undefined) return `finish the upgrade of the home ${home}: svc upgrade --home ${inShell(home)}`
  return `npm install --global --force --prefix ${inShell(prefixOf(folder))} ${PACKAGE_NAME} repairs it`
}

/**
 * Begins the stage of an upgrade, in place of what is left of an earlier one. The caller has the lock of the installation.
 * @throws CliError (exit 5) while what is there may be the only copy of a program, or the unfinished upgrade of a home needs it
 */
export function beginStage(place: Place, home: string): void {
  const { folder, stage } = place
  if (versionIn(folder) === undefined || !isInPlace(place)) {
    throw new CliError(EXIT.refused, `${place.bin} does not start the package in ${folder}.`, {
      hint: `Repair the installation first: ${repairOf(place)}`,
    })
  }
  const other = unfinishedHome(stage)
  if (other !== undefined && other !== home) {
    throw new CliError(
      EXIT.refused,
      `An upgrade of the home ${other} is not finished, or that home is away.`,
      {
        hint: `Finish it first: svc upgrade --home ${inShell(other)}; if that home is gone for good: rm -r ${inShell(stage)}`,
      },
    )
  }
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { mode: 0o755 })
  writeFileSync(markOf(stage), home)
}

/** Copies the present version into the stage. */
export function keepFormer({ folder, stage }: Place): void {
  cpSync(folder, formerFolder(stage), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}

/**
 * Puts the next version in its place, while `svc` starts the copy of the former one: nothing starts the next version before
 * {@link startInPlace}. It can be repeated, from wherever it was cut off, and {@link placeFormer} undoes it from there.
 */
export function placeNext(place: Place): void {
  const { folder, stage } = place
  startFormer(place)
  crashPoint('upgrade.led')
  if (existsSync(nextFolder(stage))) {
    if (existsSync(folder)) move(folder, asideFolder(stage))
    crashPoint('upgrade.aside')
    move(nextFolder(stage), folder)
  }
  crashPoint('upgrade.placed')
}

/** Lets `svc` start the package in its place, from now on. */
export function startInPlace({ bin, folder }: Place): void {
  lead(bin, folder)
}

/** Puts the former version in its place again, and lets `svc` start it at once. It can be repeated. */
export function placeFormer(place: Place): void {
  const { folder, stage } = place
  startFormer(place)
  crashPoint('upgrade.ledBack')
  const [aside, failed] = [asideFolder(stage), join(stage, 'failed')]
  if (existsSync(aside)) {
    if (existsSync(folder)) {
      rmSync(failed, { recursive: true, force: true })
      move(folder, failed)
    }
    crashPoint('upgrade.asideBack')
    move(aside, folder)
  }
  crashPoint('upgrade.placedBack')
  startInPlace(place)
}

function startFormer({ bin, stage }: Place): void {
  if (!existsSync(commandOf(formerFolder(stage)))) throw new Error(`${formerFolder(stage)} is missing`)
  lead(bin, formerFolder(stage))
}

/** Makes the link of the command lead to a package, at once. */
function lead(bin: string, folder: string): void {
  const fresh = `${bin}.svc-upgrade`
  rmSync(fresh, { force: true })
  // The folder of the link may itself be reached by a link, which `..` does not go back through.
  symlinkSync(relative(realpathSync(dirname(bin)), commandOf(folder)), fresh)
  move(fresh, bin)
}

/** Returns whether an upgrade has begun to move folders, or the link. */
export const isMoved = (place: Place, from: string): boolean =>
  !isInPlace(place) || versionIn(place.folder) !== from || existsSync(asideFolder(place.stage))
