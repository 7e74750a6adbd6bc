import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  lastWords,
  npmEnv,
  runNpm,
  runProgram,
  withoutCredentials,
} from '../../../../src/cli/commands/upgrade/run-program.js'
import { tempDir } from '../../../support/files/temp.js'

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
    npm_config_strict_ssl: 'true',
  })
})

it('npm finds the certificates of an environment where this command would', () => {
  const env = { NODE_EXTRA_CA_CERTS: 'ca.pem', SSL_CERT_FILE: '/etc/ca.pem', SSL_CERT_DIR: '/a:certs' }
  const files = { npm_config_cafile: './ca.pem', npm_config_userconfig: '~/work.npmrc' }
  expect(npmEnv({ ...env, ...files }, '/home/asha')).toMatchObject({
    NODE_EXTRA_CA_CERTS: '/home/asha/ca.pem',
    SSL_CERT_FILE: '/etc/ca.pem',
    SSL_CERT_DIR: '/a:/home/asha/certs',
    npm_config_cafile: '/home/asha/ca.pem',
    npm_config_userconfig: '~/work.npmrc',
  })
})

it('npm asks no server that does not prove itself, whatever its files say, and lets nobody else change files', async () => {
  const home = tempDir()
  writeFileSync(join(home, '.npmrc'), 'strict-ssl=false\n')
  const run = (...words: string[]) =>
    runNpm(words, { env: { PATH: process.env.PATH, HOME: home }, limitMs: 60_000 })
  expect(await run('config', 'get', 'strict-ssl')).toBe('true\n')
  const bin = tempDir()
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\numask\n', { mode: 0o755 })
  const before = process.umask(0o002)
  onTestFinished(() => void process.umask(before))
  const PATH = `${bin}:${process.env.PATH}`
  expect(await runNpm([], { env: { PATH }, limitMs: 60_000 })).toBe('0022\n')
  expect(process.umask()).toBe(0o002)
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
