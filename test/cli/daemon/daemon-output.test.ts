import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DaemonOutput, outputFiles } from '../../../src/cli/commands/daemon/daemon-output.js'
import { tempDir } from '../../support/files/temp.js'

/** Makes a home in which earlier daemons have written a text. */
function homeWith(text: string) {
  const home = tempDir()
  mkdirSync(join(home, 'log'))
  const [former = '', file = ''] = outputFiles(home)
  writeFileSync(file, text)
  return { home, former, file }
}

function opened(home: string): DaemonOutput {
  const output = DaemonOutput.open(home)
  onTestFinished(() => output.close())
  return output
}

test('the output of a start follows that of the earlier ones, and is read alone', () => {
  const { file, former, home } = homeWith('error: of yesterday\n')
  const output = opened(home)
  expect(output.lines()).toEqual([''])
  writeSync(output.fd, '{"event":"storage.migrating"}\nerror: of today\n')
  expect(output.lines()).toEqual(['{"event":"storage.migrating"}', 'error: of today'])
  expect(readFileSync(file, 'utf8')).toMatch(/^error: of yesterday\n/)
  expect(existsSync(former)).toBe(false)
})

test('a large output becomes the former one, which is replaced', () => {
  const { file, former, home } = homeWith('error: of yesterday\n')
  writeFileSync(former, 'older')
  truncateSync(file, 10_000_001)
  const output = opened(home)
  expect([statSync(former).size, statSync(file).size]).toEqual([10_000_001, 0])
  expect(output.lines()).toEqual([''])
  expect(outputFiles(home), 'svc log app reads them in this order').toEqual([former, file].sort())
})

test('of a long output only whole lines at its end are read', () => {
  const output = opened(tempDir())
  writeSync(output.fd, 'first\n')
  for (let line = 0; line < 2_000; line++) writeSync(output.fd, `${'x'.repeat(99)}\n`)
  writeSync(output.fd, 'error: last\n')
  const lines = output.lines()
  expect(lines.at(-1)).toBe('error: last')
  expect(new Set(lines.slice(0, -1))).toEqual(new Set(['x'.repeat(99)]))
  expect(lines.length).toBeLessThan(1_000)
})
