import { describe, expect, it } from 'vitest'
import {
  lastWords,
  npmEnv,
  runProgram,
  withoutCredentials,
} from '../../../../src/cli/commands/upgrade/run-program.js'

const env = { PATH: process.env.PATH }
const node = (script: string, options: Partial<Parameters<typeof runProgram>[2]> = {}) =>
  runProgram(process.execPath, ['-e', script], { env, limitMs: 60_000, ...options })

describe('a program that svc upgrade runs', () => {
  it('gives its output, or fails with its last words', async () => {
    expect(await node('console.log(1)')).toBe('1\n')
    await expect(node('console.error("error: The port is taken."); process.exit(3)')).rejects.toThrow(
      'The port is taken.',
    )
    await expect(node('process.exit(3)')).rejects.toThrow('it ended with 3')
    await expect(runProgram('/nowhere/npm', [], { env, limitMs: 60_000 })).rejects.toThrow('ENOENT')
  })

  it('is ended with all that it has started when its time is over', async () => {
    const endless = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'inherit' })`
    await expect(node(endless, { limitMs: 1 })).rejects.toThrow('has not ended within')
  })

  it('is ended by a signal, as Ctrl-C', async () => {
    const stop = new AbortController()
    const run = node('setInterval(() => 0, 1000)', { signal: stop.signal })
    stop.abort()
    await expect(run).rejects.toMatchObject({ exit: 130 })
    await expect(node('', { signal: stop.signal })).rejects.toMatchObject({ exit: 130 })
  })

  it('says no password of a URL', async () => {
    await expect(
      node(`console.error('error: https://asha:secret@npm.example.com/ is down'); process.exit(1)`),
    ).rejects.toThrow('https://npm.example.com/ is down')
    expect(withoutCredentials('http://a:b@c/d http://e/f@g')).toBe('http://c/d http://e/f@g')
  })
})

it('npm sees its registry and the proxy of an environment, and no secret', () => {
  const seen = { PATH: '/bin', HOME: '/home/asha', HTTPS_PROXY: 'http://proxy:3128', no_proxy: 'localhost' }
  const registry = { npm_config_registry: 'https://npm.example.com/', NPM_CONFIG_CAFILE: '/ca.pem' }
  const files = {
    npm_config_userconfig: '/npmrc',
    npm_config_globalconfig: '/etc/npmrc',
    npm_config_prefix: '/x',
  }
  const secrets = { APP_KEY: 'x', SVC_API_KEY: 'x', KITE_API_SECRET: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
  const others = { npm_config__auth: 'x', NODE_OPTIONS: '--import=x', npm_config_strict_ssl: 'false' }
  expect(npmEnv({ ...seen, ...registry, ...files, ...secrets, ...others })).toEqual({
    ...seen,
    ...registry,
    ...files,
    npm_config_update_notifier: 'false',
  })
})

it('of what a program says, the error counts', () => {
  expect(lastWords('note\nerror: The port is taken.\nStop it.\n')).toBe('The port is taken. Stop it.')
  expect(
    lastWords(
      'npm warn old\nnpm error code E404\nnpm error 404 Not Found\nnpm error A complete log is in x\n',
    ),
  ).toBe('code E404 404 Not Found')
  expect(lastWords('tar: no such file\n')).toBe('tar: no such file')
})
