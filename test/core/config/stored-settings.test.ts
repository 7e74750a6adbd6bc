import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storedSettings, storeSetting } from '../../../src/core/config/index.js'
import { tempDir } from '../../support/files/temp.js'

test.each([
  ['of a file', 'LOG_LEVEL=INFO\n'],
  ['whose file does not exist yet', undefined],
])('a setting is stored through the link %s, and the link stays', (_what, text) => {
  const [home, shared] = [tempDir(), tempDir()]
  const [link, file] = [join(home, 'config.env'), join(shared, 'svc.env')]
  if (text !== undefined) writeFileSync(file, text, { mode: 0o600 })
  symlinkSync(file, link)
  storeSetting(home, 'LOG_LEVEL', 'DEBUG')
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe('LOG_LEVEL=DEBUG\n')
  expect(storedSettings(home, {}).find(({ key }) => key === 'LOG_LEVEL')?.value).toBe('DEBUG')
})
