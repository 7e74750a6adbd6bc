import { expect, it } from 'vitest'
import { compareVersions, isVersion, satisfies } from '../../../../src/cli/commands/upgrade/versions.js'

it('versions have the order of Semantic Versioning', () => {
  const inOrder = [
    ...['0.9.9', '0.10.0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'],
    ...['1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0'],
  ]
  for (const [at, version] of inOrder.entries()) {
    for (const [other, compared] of inOrder.entries()) {
      expect([version, compared, Math.sign(compareVersions(version, compared))]).toEqual([
        version,
        compared,
        Math.sign(at - other),
      ])
    }
  }
})

it('what follows a plus does not count, and a text that is no version is refused', () => {
  expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0)
  expect(['1.0', 'v1.0.0', 'latest', '', '1.0.0-'].filter(isVersion)).toEqual([])
  expect(() => compareVersions('1.0.0', 'latest')).toThrow('latest is no version')
})

it('a range of Node is the oldest version that will do', () => {
  expect(satisfies('20.19.0', '>=20.19')).toBe(true)
  expect(satisfies('20.18.9', '>=20.19')).toBe(false)
  expect(satisfies('24.1.0', '>= 22')).toBe(true)
  expect(satisfies('20.19.0', '^20 || ^22')).toBeUndefined()
})
