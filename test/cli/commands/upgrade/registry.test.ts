import { describe, expect, it } from 'vitest'
import { releaseIn, secureRegistry, viewFault } from '../../../../src/cli/commands/upgrade/registry.js'

const REGISTRY = 'https://registry.npmjs.org/'
const answer = (body: object) => JSON.stringify({ name: 'svc-desk', version: '0.2.0', ...body })

describe('the answer of a registry', () => {
  it('has the version, the Node that it needs, and the checksum of its file', () => {
    const body = { engines: { node: '>=20.19' }, 'dist.integrity': 'sha512-x' }
    expect(releaseIn(answer(body), REGISTRY, '0.2.0')).toEqual({
      ...{ version: '0.2.0', node: '>=20.19', registry: REGISTRY, integrity: 'sha512-x' },
    })
    expect(releaseIn(answer({}), REGISTRY, 'latest')).toMatchObject({ version: '0.2.0', node: undefined })
  })

  it.each(['', '[]', '{"error":{}}', answer({ version: 'new' }), answer({ name: 'other' })])(
    'is not believed as %s',
    (text) => {
      expect(() => releaseIn(text, REGISTRY, 'latest')).toThrow('did not answer as a registry')
    },
  )

  it('is refused when it is about another version than the one that was asked for', () => {
    expect(() => releaseIn(answer({ version: '0.1.5' }), REGISTRY, '0.2.0')).toThrow(
      'it answered with 0.1.5, not with 0.2.0',
    )
  })
})

describe('a version that npm cannot show', () => {
  const asked = { registry: REGISTRY, named: 'svc-desk@0.2.0' }

  it('is one of a package that is not published there: a file can be installed', () => {
    const fault = viewFault(asked, `code E404 404 Not Found - GET ${REGISTRY}svc-desk`)
    expect(fault).toMatchObject({
      exit: 4,
      message: `svc-desk is not published at ${REGISTRY}.`,
      hint: expect.stringContaining('npm install --global ./svc-desk-VERSION.tgz'),
    })
    expect(fault.hint).not.toContain('npm view')
  })

  it.each(['code E404 404 No match found for version 0.2.0', 'code ETARGET notarget'])(
    'may be missing in a package that is there: %s',
    (reason) => {
      expect(viewFault(asked, reason)).toMatchObject({
        message: `${REGISTRY} has no svc-desk@0.2.0.`,
        hint: 'See its versions: npm view svc-desk versions',
      })
    },
  )
})

describe('the registry', () => {
  it('is reached by https, or is on this machine', () => {
    const given = [REGISTRY, 'http://localhost:4873/', 'http://127.0.0.1:1/', 'http://[::1]:1/']
    expect(given.map(secureRegistry)).toEqual(given)
    for (const other of ['http://npm.example.com/', 'http://localhost.example.com/', 'ftp://localhost/']) {
      expect(() => secureRegistry(other)).toThrow('is not reached by https')
    }
    expect(() => secureRegistry('undefined')).toThrow('is no URL')
  })

  it('is shown without the name and the password of a user', () => {
    expect(secureRegistry('https://asha:secret@npm.example.com/svc/')).toBe('https://npm.example.com/svc/')
    expect(() => secureRegistry('http://asha:secret@npm.example.com/')).toThrow(
      'The registry http://npm.example.com/ is not',
    )
  })
})
