import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { descriptorSink } from '../../../src/core/logging/sink.js'
import { tempDir } from '../../support/files/temp.js'

/** The two ends of a pipe. */
function pipe(): { reader: number; writer: number } {
  const path = join(tempDir(), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, constants.O_WRONLY) }
}

test('a sink whose reader went away loses its lines, and closes at once', async () => {
  const { reader, writer } = pipe()
  const sink = descriptorSink(writer)
  sink.write('read\n')
  closeSync(reader)
  for (const line of ['lost\n', 'lost too\n']) {
    sink.write(line)
    await wait(50)
  }
  sink.flushSync()
  await sink.close()
  expect(() => sink.write('too late\n')).not.toThrow()
})
