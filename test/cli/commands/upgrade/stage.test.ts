import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { requireRelease } from '../../../../src/cli/commands/upgrade/stage.js'
import { tempDir } from '../../../support/files/temp.js'

it('only the file that the registry has named is installed', () => {
  const file = join(tempDir(), 'svc-desk-0.2.0.tgz')
  writeFileSync(file, 'package')
  const sum = `sha512-${createHash('sha512').update('package').digest('base64')}`
  const check = (integrity: string | undefined) => () =>
    requireRelease(file, { integrity, registry: 'https://npm.example.com/' })
  expect(check(sum)).not.toThrow()
  expect(check(`sha1-x ${sum}`)).not.toThrow()
  for (const other of ['sha512-x', '', undefined]) {
    expect(check(other)).toThrow('is not the one that https://npm.example.com/ has named')
  }
})
