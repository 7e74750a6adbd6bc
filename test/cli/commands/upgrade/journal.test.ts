import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  cutOffText,
  type Journal,
  readJournal,
  removeJournal,
  wayOn,
  writeJournal,
} from '../../../../src/cli/commands/upgrade/journal.js'
import { tempDir } from '../../../support/files/temp.js'

const JOURNAL: Journal = {
  ...{ from: '0.1.0', to: '0.2.0', step: 'swap', folder: '/opt/svc', id: null, backup: null },
  daemon: { port: 5000, ws_port: 8765, unit: null, env: { SVC_PORT: '5000' } },
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

it('a damaged one says what to do', () => {
  const home = tempDir()
  for (const text of ['', '{"step":', '{"step":"swap"}', JSON.stringify({ ...JOURNAL, step: 'toString' })]) {
    writeFileSync(join(home, 'upgrade.json'), text)
    expect(() => readJournal(home)).toThrow('is damaged')
  }
})

it('it says what is left', () => {
  expect(cutOffText(JOURNAL)).toBe(
    'An upgrade from 0.1.0 to 0.2.0 is not finished (step "swap"): the two versions were being exchanged.',
  )
})

describe('an upgrade that was cut off', () => {
  const [FROM, TO] = ['0.1.0', '0.2.0']
  it.each([
    { step: 'stop', installed: FROM, next: TO, former: undefined, way: 'forward' },
    { step: 'swap', installed: undefined, next: TO, former: FROM, way: 'forward' },
    { step: 'swap', installed: TO, next: undefined, former: FROM, way: 'forward' },
    { step: 'start', installed: TO, next: undefined, former: FROM, way: 'forward' },
    { step: 'back', installed: TO, next: undefined, former: FROM, way: 'back' },
    { step: 'back', installed: undefined, next: undefined, former: FROM, way: 'back' },
    { step: 'back', installed: FROM, next: undefined, former: undefined, way: 'back' },
    { step: 'start', installed: FROM, next: undefined, former: undefined, way: 'void' },
    { step: 'stop', installed: '0.3.0', next: undefined, former: undefined, way: 'void' },
    { step: 'back', installed: '0.3.0', next: undefined, former: undefined, way: 'void' },
  ] as const)('at $step, with $installed installed, goes $way', ({ step, way, ...found }) => {
    expect(wayOn({ from: FROM, to: TO, step }, found)).toBe(way)
  })
})
