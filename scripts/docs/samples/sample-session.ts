import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../documents.js'
import type { SampleTerminal } from './console-blocks.js'

/** Wide enough for the tables, and narrow enough for a page. */
const COLUMNS = 120
const PASSWORD = 'Passw0rd!'
const execute = promisify(execFile)

/** A temporary home with a running daemon of the built program, a user named asha, and a terminal to type in. */
export class SampleSession implements SampleTerminal {
  readonly home = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  #env: Record<string, string> = {
    // A recording inside a test run is recognised as a part of it, and stopped with it.
    ...(process.env.E2E_RUN !== undefined && { E2E_RUN: process.env.E2E_RUN }),
    PATH: `${join(ROOT, 'bin')}:${process.env.PATH}`,
    HOME: this.home,
    SVC_HOME: this.home,
    TERM: 'xterm',
    NO_COLOR: '1',
  }

  /** @throws Error when the daemon does not start; nothing is left behind */
  static async open(): Promise<SampleSession> {
    const session = new SampleSession()
    try {
      await session.#start()
    } catch (thrown) {
      await session.close()
      throw thrown
    }
    return session
  }

  async show(commandLine: string): Promise<string> {
    const line = `stty cols ${COLUMNS}; cd ${ROOT}; ${commandLine}`
    // The terminal ends its lines with CR LF.
    return (await this.#shell('script -qfc "$0" /dev/null </dev/null', line)).replaceAll('\r\n', '\n')
  }

  async prepare(commandLine: string): Promise<void> {
    await this.#shell(commandLine)
  }

  async close(): Promise<void> {
    await this.#shell('svc down --force || true')
    rmSync(this.home, { recursive: true, force: true })
  }

  async #start(): Promise<void> {
    const url = (await this.#shell('svc up --detach --port 0 --ws-port 0')).trim()
    const signIn = `--username asha --password-stdin <<<'${PASSWORD}'`
    await this.#shell(`svc setup --email asha@example.org ${signIn} && svc login ${signIn}`)
    const key = (await this.#shell('svc apikey show --reveal -q')).trim()
    Object.assign(this.#env, { URL: url, KEY: key })
  }

  async #shell(script: string, ...args: string[]): Promise<string> {
    return (await execute('bash', ['-euo', 'pipefail', '-c', script, ...args], { env: this.#env })).stdout
  }
}
