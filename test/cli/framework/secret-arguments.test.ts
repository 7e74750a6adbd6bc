import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '../../../src/cli/framework/secret-arguments.js'

describe('a secret among the arguments', () => {
  it.each([
    [
      ['position', 'list', '--apikey', 'k3y', '--json'],
      ['position', 'list', '--apikey', '…', '--json'],
    ],
    [
      ['--apikey=k3y', 'fund', 'list'],
      ['--apikey=…', 'fund', 'list'],
    ],
    [
      ['login', '--totp', '123456'],
      ['login', '--totp', '…'],
    ],
    [
      ['login', '--totp=123456'],
      ['login', '--totp=…'],
    ],
    [
      ['api', 'POST', '/x', '-f', 'apikey=k3y', '-H', 'X-API-KEY: k3y', '-Fpassword=a=b'],
      ['api', 'POST', '/x', '-f', 'apikey=…', '-H', 'X-API-KEY:…', '-Fpassword=…'],
    ],
    [['position', 'list', '--apikey'], undefined],
    [['position', 'list', '--apikey-file', 'key'], undefined],
  ])('%j is shown as %j', (argv, shown) => {
    expect(withoutSecrets(argv)).toEqual(shown)
  })
})
