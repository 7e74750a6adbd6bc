import { isObject, parseJson, textMember } from '../../../client/answers/json.js'
import { messageOf } from '../../../core/errors/index.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Io } from '../../io/io.js'
import { PACKAGE_NAME } from '../../package.js'
import { runNpm, withoutCredentials } from './run-program.js'
import { isVersion } from './versions.js'

/** How long the registry may take, and npm with its own start. */
const ANSWER_MS = 5_000
const LIMIT_MS = 30_000

/** A version of this package in a registry. */
export interface Release {
  version: string
  /** The versions of Node that it needs, as its package says them; undefined if it does not. */
  node: string | undefined
  /** The address of the registry, without a user's name and password. */
  registry: string
  /** The checksums of its file, as npm writes them; undefined if the registry says none. */
  integrity: string | undefined
  /** What npm is told, so that it installs from the registry that was asked, with the tokens and certificates of the user. */
  npm: readonly string[]
}

/**
 * Asks the registry of npm for a version of this package, once, with npm itself: it knows the proxies, certificates and tokens of the
 * user. The request names the package; nothing in it is about the home.
 * @param wanted a version, or the tag `latest`
 * @throws CliError: 1 without an answer that can be believed, 4 when the registry has no such version
 */
export async function askRegistry({ env }: Pick<Io, 'env'>, wanted = 'latest'): Promise<Release> {
  const npm = (...words: string[]) => runNpm(words, { env, limitMs: LIMIT_MS })
  const given = await npm('config', 'get', 'registry', '--global').catch((thrown: unknown) => {
    throw new CliError(EXIT.failed, `npm does not say its registry: ${messageOf(thrown)}`, {
      code: 'registry_unreachable',
      hint: 'Check: npm config get registry --global. A password belongs in the line //HOST/:_auth of .npmrc, not in the URL.',
      cause: thrown,
    })
  })
  const registry = secureRegistry(given.trim())
  // With a prefix of its own, npm would read the global settings of that prefix, which has none.
  const globalconfig = (await npm('config', 'get', 'globalconfig')).trim()
  const place = [`--globalconfig=${globalconfig}`, `--registry=${registry}`]
  const named = `${PACKAGE_NAME}@${wanted}`
  const text = await npm('view', named, ...FACTS, '--json', ...QUICKLY, ...place).catch((thrown: unknown) => {
    throw viewFault({ registry, named }, messageOf(thrown), thrown)
  })
  return { ...releaseIn(text, registry, wanted), npm: place }
}

const FACTS = ['name', 'version', 'engines', 'dist.integrity'] as const
const QUICKLY = ['--fetch-retries=0', `--fetch-timeout=${ANSWER_MS}`, '--user-agent=svc'] as const

/** Returns the release in an answer. @throws CliError when it is another package, no version, or not the version that was asked for */
export function releaseIn(text: string, registry: string, wanted: string): Omit<Release, 'npm'> {
  const body = parseJson(text)
  const version = isObject(body) ? textMember(body, 'version') : undefined
  if (!isObject(body) || version === undefined || !isVersion(version) || body.name !== PACKAGE_NAME) {
    throw noAnswer(registry, 'it did not answer as a registry')
  }
  if (wanted !== 'latest' && version !== wanted) {
    throw noAnswer(registry, `it answered with ${version}, not with ${wanted}`)
  }
  const { engines } = body
  const node = isObject(engines) ? textMember(engines, 'node') : undefined
  return { version, registry, node, integrity: textMember(body, 'dist.integrity') }
}

/**
 * Returns the address of a registry as messages may show it.
 * @throws CliError (exit 5) for one whose answers others can change on their way: only this machine may do without https
 */
export function secureRegistry(given: string): string {
  const shown = withoutCredentials(given)
  if (!URL.canParse(given)) {
    throw new CliError(EXIT.refused, `The registry of npm is no URL: ${shown}.`, { hint: HOW_TO_SET })
  }
  const { hostname, protocol } = new URL(given)
  if (protocol === 'https:' || (protocol === 'http:' && HERE.has(hostname))) return shown
  throw new CliError(EXIT.refused, `The registry ${shown} is not reached by https.`, { hint: HOW_TO_SET })
}

const HERE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const HOW_TO_SET = 'Set it: npm config set registry https://…'

/** Returns the error of a version that npm could not show, from the reason that it gave. */
export function viewFault(
  { named, registry }: { registry: string; named: string },
  reason: string,
  cause?: unknown,
): CliError {
  if (/\bETARGET\b|No match found/.test(reason)) return noVersion(registry, named)
  return /\bE404\b/.test(reason) ? notPublished(registry, cause) : noAnswer(registry, reason, cause)
}

/** Returns the error of a registry that does not have the package. It has no versions to see, either. */
function notPublished(registry: string, cause: unknown): CliError {
  return new CliError(EXIT.notFound, `${PACKAGE_NAME} is not published at ${registry}.`, {
    code: 'not_found',
    hint: `Install it from a file: npm install --global ./${PACKAGE_NAME}-VERSION.tgz. For another registry: npm config set registry https://…`,
    cause,
  })
}

function noVersion(registry: string, name: string): CliError {
  return new CliError(EXIT.notFound, `${registry} has no ${name}.`, {
    code: 'not_found',
    hint: `See its versions: npm view ${PACKAGE_NAME} versions`,
  })
}

function noAnswer(registry: string, reason: string, cause?: unknown): CliError {
  return new CliError(EXIT.failed, `The registry ${registry} cannot be asked: ${reason}.`, {
    code: 'registry_unreachable',
    hint: 'Check the network, and: npm config get registry --global',
    cause,
  })
}
