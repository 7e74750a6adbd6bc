import { tmpdir } from 'node:os'
import { afterEach, expect, it, vi } from 'vitest'
import { rehearsalFolder } from '../../../src/daemon/flows/rehearsal/folder.js'

afterEach(() => vi.unstubAllEnvs())

it('the folder of rehearsals follows TMPDIR, and otherwise exists', () => {
  vi.stubEnv('TMPDIR', '/somewhere/else')
  expect(rehearsalFolder()).toBe('/somewhere/else')
  vi.stubEnv('TMPDIR', '')
  expect(['/dev/shm', tmpdir()]).toContain(rehearsalFolder())
})
