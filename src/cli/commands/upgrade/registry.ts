import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isObject, parseJson, textMember } from '../../../client/answers/json.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Io } from '../../io/io.js'
import { PACKAGE_NAME } from '../../package.js'
import { isVersion } from './versions.js'

const DEFAULT = 'https://registry.npmjs.org/'
const TIMEOUT_MS = 5_000
/** Far more than what a registry says of one version. */
const MOST_BYTES = 256 * 1024

/** A version of this package in a registry. */
export interface Release {
  version: string
  /** The versions of Node that it needs, as its package says them; undefined if it does not. */
  node: string | undefined
  registry: string
}

/**
 * Asks the registry of npm for a version of this package, once. The request names the package and nothing else: no version, no
 * machine, no home.
 * @param wanted a version, or a tag such as `latest`
 * @throws CliError: 1 without an answer within 5 s, 4 when the registry has no such version
 */
export async function askRegistry(io: Pick<Io, 'deadline' | 'env'>, wanted = 'latest'): Promise<Release> {
  const registry = await registryOf(io.env)
  const name = PACKAGE_NAME
  const signal = io.deadline(TIMEOUT_MS)
  try {
    const response = await fetch(`${registry}${name}/${wanted}`, {
      headers: { accept: 'application/json', 'user-agent': 'svc' },
      signal,
    })
    if (response.status === 404) throw noVersion(registry, `${name}@${wanted}`)
    if (!response.ok) throw noAnswer(registry, `HTTP ${response.status}`)
    return releaseIn(await textOf(response, registry), registry)
  } catch (thrown) {
    if (thrown instanceof CliError) throw thrown
    throw noAnswer(registry, signal.aborted ? 'no answer within 5 s' : reasonOf(thrown), thrown)
  }
}

function releaseIn(text: string, registry: string): Release {
  const body = parseJson(text)
  const version = isObject(body) ? textMember(body, 'version') : undefined
  if (!isObject(body) || version === undefined || !isVersion(version)) {
    throw noAnswer(registry, 'it did not answer as a registry')
  }
  const { engines } = body
  return { version, registry, node: isObject(engines) ? textMember(engines, 'node') : undefined }
}

async function textOf(response: Response, registry: string): Promise<string> {
  const reader = response.body?.getReader()
  const parts: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) return Buffer.concat(parts).toString('utf8')
    bytes += value.byteLength
    if (bytes > MOST_BYTES) {
      await reader?.cancel()
      throw noAnswer(registry, 'its answer is longer than 256 KB')
    }
    parts.push(value)
  }
}

/** Returns the registry that npm installs global packages from: the file `.npmrc` of a project does not count. */
async function registryOf(env: Io['env']): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry', '--global'], {
    cwd: '/',
    env: { ...env },
    timeout: TIMEOUT_MS,
  }).catch(() => ({ stdout: '' }))
  const given = stdout.trim()
  const url = URL.canParse(given) ? given : DEFAULT
  return url.endsWith('/') ? url : `${url}/`
}

function noVersion(registry: string, name: string): CliError {
  return new CliError(EXIT.notFound, `${registry} has no ${name}.`, {
    code: 'not_found',
    hint: 'See its versions: npm view svc-desk versions',
  })
}

function noAnswer(registry: string, reason: string, cause?: unknown): CliError {
  return new CliError(EXIT.failed, `The registry ${registry} cannot be asked: ${reason}.`, {
    code: 'registry_unreachable',
    hint: 'Check the network, and: npm config get registry --global',
    cause,
  })
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error ? thrown.cause.message || thrown.message : thrown.message
}
