import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { beginStage, nextFolder, swapBack, swapForward } from '../../../../src/cli/commands/upgrade/swap.js'
import { tempDir } from '../../../support/files/temp.js'

function version(folder: string, text: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/svc'), text)
}

it('the next version takes the place of the former one, which can take it again; each can be repeated', () => {
  const prefix = tempDir()
  const place = {
    folder: join(prefix, 'lib/node_modules/svc-desk'),
    bin: join(prefix, 'bin/svc'),
    stage: join(prefix, 'lib/node_modules/.svc-desk-upgrade'),
  }
  version(place.folder, 'former')
  mkdirSync(join(prefix, 'bin'))
  symlinkSync('../lib/node_modules/svc-desk/bin/svc', place.bin)
  const runs = () => [readFileSync(place.bin, 'utf8'), readFileSync(join(place.folder, 'bin/svc'), 'utf8')]
  beginStage(place.stage, tempDir())
  version(nextFolder(place.stage), 'next')
  for (const _ of [1, 2]) {
    swapForward(place)
    expect(runs()).toEqual(['next', 'next'])
  }
  for (const _ of [1, 2]) {
    swapBack(place)
    expect(runs()).toEqual(['former', 'former'])
  }
})

it('a stage that the unfinished upgrade of another home needs is left alone', () => {
  const [stage, home, other] = [join(tempDir(), 'stage'), tempDir(), tempDir()]
  beginStage(stage, other)
  writeFileSync(join(other, 'upgrade.json'), '{}')
  expect(() => beginStage(stage, home)).toThrow(`An upgrade of the home ${other} is not finished`)
  expect(existsSync(stage)).toBe(true)
  beginStage(stage, other)
})
