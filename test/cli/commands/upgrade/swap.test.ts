import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  activeFolder,
  beginStage,
  formerFolder,
  isMoved,
  keepFormer,
  nextFolder,
  placeFormer,
  placeNext,
  repairOf,
  startInPlace,
} from '../../../../src/cli/commands/upgrade/swap.js'
import { tempDir } from '../../../support/files/temp.js'

const [FROM, TO] = ['0.1.0', '0.2.0']

function version(folder: string, text: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/svc'), text)
  writeFileSync(join(folder, 'package.json'), `{"version": "${text}"}`)
}

/** Makes an installation of FROM with TO in its stage. */
function staged() {
  const prefix = realpathSync(tempDir())
  const place = {
    folder: join(prefix, 'lib/node_modules/svc-desk'),
    bin: join(prefix, 'bin/svc'),
    stage: join(prefix, 'lib/node_modules/.svc-desk-upgrade'),
  }
  version(place.folder, FROM)
  mkdirSync(join(prefix, 'bin'))
  symlinkSync('../lib/node_modules/svc-desk/bin/svc', place.bin)
  const home = homeOfUpgrades()
  beginStage(place, home)
  version(nextFolder(place.stage), TO)
  keepFormer(place)
  const started = () => readFileSync(place.bin, 'utf8')
  return { place, home, started, installed: () => readFileSync(join(place.folder, 'bin/svc'), 'utf8') }
}

/** Makes a home in which an upgrade was begun. */
function homeOfUpgrades(): string {
  const home = tempDir()
  writeFileSync(join(home, 'upgrade.lock'), '')
  return home
}

it('the former version starts until the next one is in its place, and is allowed to', () => {
  const { installed, place, started } = staged()
  expect(isMoved(place, FROM)).toBe(false)
  for (const _ of [1, 2]) {
    placeNext(place)
    expect([started(), installed(), isMoved(place, FROM)]).toEqual([FROM, TO, true])
  }
  startInPlace(place)
  expect([started(), activeFolder(place)]).toEqual([TO, place.folder])
  for (const _ of [1, 2]) {
    placeFormer(place)
    expect([started(), installed(), isMoved(place, FROM)]).toEqual([FROM, FROM, false])
  }
})

it('a rename that fails leaves a command that starts the former version, on the way there and back', () => {
  const { place, started } = staged()
  const blocked = join(place.stage, 'aside')
  version(blocked, 'in the way')
  expect(() => placeNext(place)).toThrow('ENOTEMPTY')
  expect(started()).toBe(FROM)
  rmSync(blocked, { recursive: true })
  placeNext(place)
  startInPlace(place)
  rmSync(place.stage, { recursive: true })
  expect(() => placeFormer(place)).toThrow('former is missing')
  expect(started()).toBe(TO)
})

it('what an unfinished upgrade of another home needs is left alone, also while that home is away', () => {
  const { home: other, place } = staged()
  const home = homeOfUpgrades()
  writeFileSync(join(other, 'upgrade.json'), '{}')
  expect(() => beginStage(place, home)).toThrow(`An upgrade of the home ${other} is not finished`)
  for (const file of ['upgrade.json', 'upgrade.lock']) unlinkSync(join(other, file))
  expect(() => beginStage(place, home)).toThrow('or that home is away')
  rmSync(other, { recursive: true })
  expect(() => beginStage(place, home)).toThrow('or that home is away')
  expect(existsSync(nextFolder(place.stage))).toBe(true)
})

it('the only copy of a program is never removed', () => {
  const { home, place, started } = staged()
  placeNext(place)
  expect(() => beginStage(place, home)).toThrow('does not start the package')
  startInPlace(place)
  rmSync(place.folder, { recursive: true })
  expect(() => beginStage(place, home)).toThrow('does not start the package')
  expect(existsSync(formerFolder(place.stage))).toBe(true)
  placeFormer(place)
  expect(started()).toBe(FROM)
  beginStage(place, home)
  expect(existsSync(formerFolder(place.stage))).toBe(false)
})

it('the link of the command may be in a folder that is a link itself', () => {
  const { place, started } = staged()
  const bin = join(place.folder, '../../../bin')
  const elsewhere = join(tempDir(), 'far/away')
  mkdirSync(join(elsewhere, '..'))
  renameSync(bin, elsewhere)
  symlinkSync(elsewhere, bin)
  placeNext(place)
  expect(started()).toBe(FROM)
  startInPlace(place)
  expect(started()).toBe(TO)
})

it('a command that starts something else is repaired where it is, or by the end of the upgrade that moved it', () => {
  const { home, place } = staged()
  const prefix = join(place.folder, '../../..')
  expect(repairOf(place)).toBe(`npm install --global --force --prefix ${prefix} svc-desk repairs it`)
  writeFileSync(join(home, 'upgrade.json'), '{}')
  expect(repairOf(place)).toBe(`finish the upgrade of the home ${home}: svc upgrade --home ${home}`)
})
