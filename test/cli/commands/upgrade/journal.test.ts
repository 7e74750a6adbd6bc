import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  cutOffText,
  type Journal,
  mayHaveJournal,
  readJournal,
  removeJournal,
  wayOn,
  writeJournal,
} from '../../../../src/cli/commands/upgrade/journal.js'
import { tempDir } from '../../../support/files/temp.js'

const JOURNAL: Journal = {
  ...{ from: '0.1.0', to: '0.2.0', step: 'stop', folder: '/opt/svc', id: null, backup: null },
  at: '2026-11-27T15:45:00.000Z',
  daemon: { port: 5000, ws_port: 8765, settings: ['APP_KEY'] },
  schemas: { svc: 1, sandbox: 1, logs: 1 },
}

it('a journal is read as it was written, by its owner alone', () => {
  const home = tempDir()
  expect(readJournal(home)).toBeUndefined()
  writeJournal(home, JOURNAL)
  expect(readJournal(home)).toEqual(JOURNAL)
  expect(statSync(join(home, 'upgrade.json')).mode & 0o777).toBe(0o600)
  removeJournal(home)
  expect(readJournal(home)).toBeUndefined()
})

it('a damaged one, and one without a date, is not followed, and says what to do', () => {
  const home = tempDir()
  const { at: _, ...undated } = JOURNAL
  const others = [{ ...JOURNAL, step: 'toString' }, { ...JOURNAL, at: 'soon' }, undated, { step: 'stop' }]
  for (const text of ['', '{"step":', ...others.map((one) => JSON.stringify(one))]) {
    writeFileSync(join(home, 'upgrade.json'), text)
    expect(() => readJournal(home)).toThrow('is damaged')
  }
})

it('a home that is away may have one', () => {
  const home = tempDir()
  expect([mayHaveJournal(home), mayHaveJournal(join(home, 'away'))]).toEqual([true, true])
  writeFileSync(join(home, 'upgrade.lock'), '')
  expect(mayHaveJournal(home)).toBe(false)
  writeJournal(home, JOURNAL)
  expect(mayHaveJournal(home)).toBe(true)
})

it('it says what is left, and since when', () => {
  expect(cutOffText(JOURNAL)).toBe(
    'An upgrade from 0.1.0 to 0.2.0, begun 2026-11-27T15:45:00.000Z, is not finished (step "stop"): svc starts the former version, and the daemon may be stopped.',
  )
})

describe('an upgrade that was cut off', () => {
  const [FROM, TO, THIRD] = ['0.1.0', '0.2.0', '0.3.0']
  it.each([
    { step: 'stop', installed: FROM, next: TO, former: FROM, way: 'forward' },
    { step: 'stop', installed: undefined, next: TO, former: FROM, way: 'forward' },
    { step: 'stop', installed: TO, next: undefined, former: FROM, way: 'forward' },
    { step: 'start', installed: TO, next: undefined, former: FROM, way: 'forward' },
    { step: 'start', installed: TO, next: undefined, former: undefined, way: 'forward' },
    // The way back whose journal could not be written.
    { step: 'start', installed: undefined, next: undefined, former: FROM, way: 'back' },
    { step: 'start', installed: FROM, next: undefined, former: FROM, way: 'back' },
    { step: 'back', installed: TO, next: undefined, former: FROM, way: 'back' },
    { step: 'back', installed: undefined, next: undefined, former: FROM, way: 'back' },
    { step: 'back', installed: FROM, next: undefined, former: undefined, way: 'back' },
    { step: 'start', installed: FROM, next: undefined, former: undefined, way: 'void' },
    { step: 'stop', installed: FROM, next: TO, former: undefined, way: 'void' },
    { step: 'back', installed: TO, next: undefined, former: undefined, way: 'void' },
    { step: 'stop', installed: THIRD, next: TO, former: FROM, way: 'void' },
    { step: 'start', installed: THIRD, next: undefined, former: FROM, way: 'void' },
    { step: 'back', installed: THIRD, next: undefined, former: FROM, way: 'void' },
  ] as const)('at $step, with $installed installed, goes $way', ({ step, way, ...found }) => {
    expect(wayOn({ from: FROM, to: TO, step }, found)).toBe(way)
  })
})
