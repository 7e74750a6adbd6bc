import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, type Exit, startChild } from './children.js'
import { DaemonProcess, type Env } from './daemon-process.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const FORMER = '0.1.0'
export const NEXT = '0.2.0'

/** How the next version differs from the present one, besides its number. */
export interface NextVersion {
  /** SQL of a migration of logs.db that only it has. */
  migration?: string
  /** Statements at the beginning of its command: `argv` has the words of the command line. */
  begins?: string
}

export interface Ran extends Exit {
  stdout: string
  stderr: string
}

/** svc upgrade refuses root, as whom the tests of a container run: the programs are those of nobody then. */
const USER = process.getuid?.() === 0 ? 65_534 : undefined

const AS_USER = USER === undefined ? {} : { user: USER }

/** Returns the option of Node that runs a script before a program. */
export const importing = (script: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(script)}`

/** It refuses a container, too, in which the tests may run. */
const NO_CONTAINER = importing(`import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const exists = fs.existsSync
fs.existsSync = (path) => !['/.dockerenv', '/run/.containerenv'].includes(path) && exists(path)
syncBuiltinESMExports()`)

/**
 * A registry of npm with the package of this checkout, as version {@link FORMER}, and a next version. The packages name no
 * dependencies, so that npm installs them in a second: the program finds those of the checkout.
 */
export class PackageRegistry {
  /** The paths that were asked for, with the program that asked. */
  readonly asked: string[] = []
  /** The version with the tag `latest`. */
  latest = NEXT
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-registry-'))
  readonly #packages = new Map<string, { file: Buffer; manifest: object }>()
  readonly #server: Server = createServer((request, response) => {
    const path = request.url ?? ''
    this.asked.push(`${path} ${(request.headers['user-agent'] ?? '').split('/')[0]}`)
    const body = this.#answerTo(decodeURIComponent(path))
    response.writeHead(body === undefined ? 404 : 200).end(body ?? '{}')
  })

  static async open(): Promise<PackageRegistry> {
    const registry = new PackageRegistry()
    await new Promise<void>((listening) => registry.#server.listen(0, '127.0.0.1', listening))
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', registry.#folder, ROOT]
    const { stdout } = await mustRun('npm', words, { HOME: registry.#folder })
    await mustRun('tar', ['xzf', join(registry.#folder, stdout.trim()), '-C', registry.#folder], {})
    for (const name of ['docs', 'deploy', 'flows']) rmSync(join(registry.#former, name), { recursive: true })
    change(join(registry.#former, 'package.json'), (text) => {
      const { dependencies: _, devDependencies: __, scripts: ___, ...manifest } = JSON.parse(text)
      return JSON.stringify({ ...manifest, version: FORMER }, null, 2)
    })
    await registry.#publish(registry.#former)
    await registry.publishNext({})
    await registry.#install()
    return registry
  }

  get url(): string {
    const address = this.#server.address()
    return typeof address === 'object' ? `http://127.0.0.1:${address?.port}/` : ''
  }

  /** The prefix into which npm has installed {@link FORMER}; a test copies it. */
  get prefix(): string {
    return join(this.#folder, 'prefix')
  }

  get #former(): string {
    return join(this.#folder, 'package')
  }

  /** Makes the next version, in place of the one before. */
  async publishNext({ begins, migration }: NextVersion): Promise<void> {
    const to = join(mkdtempSync(join(this.#folder, 'next-')), 'package')
    cpSync(this.#former, to, { recursive: true })
    change(join(to, 'package.json'), (text) => text.replace(`"version": "${FORMER}"`, `"version": "${NEXT}"`))
    renameModules(join(to, 'dist/svc'))
    if (begins !== undefined) {
      change(join(to, 'bin/svc'), (text) =>
        text.replace('\nimport', `\nconst argv = process.argv.slice(2)\n${begins}\nimport`),
      )
    }
    if (migration !== undefined) addMigration(join(to, 'dist/svc/migrations/logs'), migration)
    await this.#publish(to)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #install(): Promise<void> {
    const words = ['install', '--global', '--prefix', this.prefix, `svc-desk@${FORMER}`]
    await mustRun('npm', words, { HOME: this.#folder, npm_config_registry: this.url })
    this.asked.length = 0
  }

  async #publish(folder: string): Promise<void> {
    const manifest: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = join(this.#folder, `${manifest.version}.tgz`)
    await mustRun('tar', ['cf', file, '-C', join(folder, '..'), 'package'], {})
    this.#packages.set(manifest.version, { file: readFileSync(file), manifest })
  }

  #answerTo(path: string): string | Buffer | undefined {
    const [, name, version, file] = path.split('/')
    if (name !== 'svc-desk') return undefined
    if (version === '-') return this.#packages.get(/svc-desk-(.+)\.tgz/.exec(file ?? '')?.[1] ?? '')?.file
    if (version === undefined) {
      const versions = Object.fromEntries(
        [...this.#packages.keys()].map((one) => [one, this.#described(one)]),
      )
      return JSON.stringify({ name, 'dist-tags': { latest: this.latest }, versions })
    }
    return undefined
  }

  #described(version: string): object | undefined {
    const found = this.#packages.get(version)
    if (!found) return undefined
    const integrity = `sha512-${createHash('sha512').update(found.file).digest('base64')}`
    const tarball = `${this.url}svc-desk/-/svc-desk-${version}.tgz`
    return { ...found.manifest, dist: { tarball, integrity } }
  }
}

/** The package as `npm install --global` has installed it, in a folder of its own, with a home that has a user. */
export class NpmInstallation {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-npm-'))
  readonly home = join(this.folder, 'home')
  readonly stage = join(this.folder, 'prefix/lib/node_modules/.svc-desk-upgrade')
  readonly lock = `${this.stage}.lock`
  readonly bin = join(this.folder, 'prefix/bin/svc')
  readonly #registry: PackageRegistry
  readonly #apikey: string

  private constructor(registry: PackageRegistry, apikey: string) {
    this.#registry = registry
    this.#apikey = apikey
  }

  static make(registry: PackageRegistry): NpmInstallation {
    const { apikey, home } = DaemonProcess.prepared()
    const made = new NpmInstallation(registry, apikey)
    renameSync(home, made.home)
    cpSync(registry.prefix, join(made.folder, 'prefix'), { recursive: true, verbatimSymlinks: true })
    symlinkSync(join(ROOT, 'node_modules'), join(made.folder, 'node_modules'))
    made.#own()
    return made
  }

  /** Gives all files to the user whose programs run. */
  #own(): void {
    if (USER !== undefined) execFileSync('chown', ['-hR', `${USER}:${USER}`, this.folder])
  }

  /** Writes a file of the folder, as the user whose programs run. */
  write(path: string, text: string): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    this.#own()
  }

  /** Returns a copy, without the daemon. */
  copy(): NpmInstallation {
    const made = new NpmInstallation(this.#registry, this.#apikey)
    cpSync(this.folder, made.folder, { recursive: true, verbatimSymlinks: true })
    for (const file of [join(made.home, 'upgrade.json'), join(made.stage, 'home')]) {
      if (existsSync(file)) change(file, (text) => text.replaceAll(this.folder, made.folder))
    }
    rmSync(join(made.home, 'daemon.json'), { force: true })
    made.#own()
    return made
  }

  /** Runs the command that a user would find. */
  svc(line: string, env: Env = {}): Promise<Ran> {
    return ended(this.begin(line, env))
  }

  /** Runs a line that a user would type into a shell. */
  shell(line: string): Promise<Ran> {
    return ended(startChild('sh', ['-c', line], this.#env({}), AS_USER))
  }

  /** Starts the command that a user would find. `NODE_OPTIONS` are added to those of every program here. */
  begin(line: string, env: Env = {}): Child {
    return startChild(this.bin, line.split(' '), this.#env(env), AS_USER)
  }

  #env({ NODE_OPTIONS = '', ...env }: Env): Env {
    return {
      ...{ HOME: this.folder, SVC_HOME: this.home, SVC_API_KEY: this.#apikey, NO_COLOR: '1' },
      npm_config_registry: this.#registry.url,
      NODE_OPTIONS: `${NO_CONTAINER} ${NODE_OPTIONS}`,
      ...env,
    }
  }

  async up(env: Env = {}): Promise<void> {
    const { code, stderr } = await this.svc('up --detach --port 0 --ws-port 0', env)
    if (code !== 0) throw new Error(stderr)
  }

  /** Places an order that the simulated exchange fills. */
  place(symbol = 'SBIN'): Promise<Ran> {
    return this.svc(`order place ${symbol} NSE BUY 1 --product CNC --wait --yes`)
  }

  /** The versions of the command, and of the daemon that runs; null without one. */
  async versions(): Promise<{ client: string; daemon: string | null }> {
    const { client, daemon } = JSON.parse((await this.svc('version --json')).stdout)
    return { client, daemon }
  }

  get pid(): number {
    return JSON.parse(readFileSync(join(this.home, 'daemon.json'), 'utf8')).pid
  }

  /** What an upgrade leaves behind until it is finished. */
  get leftovers(): string[] {
    return [this.stage, join(this.home, 'upgrade.json'), join(this.home, '.upgrade-trial')].filter(existsSync)
  }

  async dispose(): Promise<void> {
    await this.svc('down --force')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Gives the modules of a build other names, as any other build has: a program that loads one after the swap fails. */
function renameModules(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.js'))) {
    change(join(folder, name), (text) => text.replaceAll(/-([A-Z0-9]{8})\.js\b/g, '-$1N.js'))
    renameSync(join(folder, name), join(folder, name.replace(/-([A-Z0-9]{8})\.js$/, '-$1N.js')))
  }
}

function addMigration(folder: string, sql: string): void {
  writeFileSync(join(folder, '9999_next.sql'), sql)
  change(join(folder, 'meta/_journal.json'), (text) => {
    const journal: { entries: object[] } = JSON.parse(text)
    const entry = { idx: 9999, version: '6', when: 4_000_000_000_000, tag: '9999_next', breakpoints: true }
    return JSON.stringify({ ...journal, entries: [...journal.entries, entry] })
  })
}

/** Changes the text of a file. */
export function change(file: string, by: (text: string) => string): void {
  writeFileSync(file, by(readFileSync(file, 'utf8')))
}

async function ended(child: Child): Promise<Ran> {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child.process[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  return { ...(await child.exited), ...texts }
}

async function mustRun(command: string, words: readonly string[], env: Env): Promise<Ran> {
  const ran = await ended(startChild(command, words, env))
  if (ran.code !== 0) throw new Error(`${command} ${words.join(' ')}: ${ran.stderr}`)
  return ran
}
