import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../support/files/temp.js'
import { startChild } from '../../support/process/children.js'
import { SVC } from '../../support/process/daemon-process.js'

/** Runs a command in a process of its own, which has loaded nothing yet. */
async function inProcess(words: readonly string[], env: Record<string, string>) {
  const child = startChild(process.execPath, [SVC, ...words], env)
  let said = ''
  for (const stream of [child.process.stdout, child.process.stderr]) {
    stream?.on('data', (chunk) => {
      said += String(chunk)
    })
  }
  return { exit: (await child.exited).code, said }
}

test('a daemon that is down is named by the first request of a process', async () => {
  const config = tempDir()
  mkdirSync(config, { recursive: true })
  const prod = { url: 'http://127.0.0.1:9', id: 'a'.repeat(32) }
  const content = { version: 1, current: 'prod', contexts: { prod } }
  writeFileSync(join(config, 'contexts.json'), JSON.stringify(content), { mode: 0o600 })
  const env = { HOME: tempDir(), SVC_CONFIG_DIR: config }
  for (const line of ['status', 'whoami', 'order list', 'context status']) {
    const { exit, said } = await inProcess(line.split(' '), env)
    expect([line, exit, said]).toEqual([
      line,
      7,
      expect.stringContaining('No daemon answers at http://127.0.0.1:9'),
    ])
  }
})
