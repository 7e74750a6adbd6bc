import type { RouteAnswer } from '../../../../client/endpoints.js'
import type { Change } from '../../../../core/strategies/files/index.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'

type Version = RouteAnswer<'GET /strategy/api/strategies/:id/versions'>['data'][number]

/** One of the two configurations that are compared, and its name in the output. */
export interface Side {
  label: string
  config: object
}

/** Returns the newest versions of a strategy, newest first. */
export async function newestVersions(context: Context, id: string, limit: number): Promise<Version[]> {
  const query = { limit: String(limit) }
  const route = 'GET /strategy/api/strategies/:id/versions'
  return [...(await context.read(route, { params: { id }, query })).body.data]
}

/** Returns the number of the current version. */
export async function currentVersion(context: Context, id: string): Promise<number> {
  const [newest] = await newestVersions(context, id, 1)
  if (newest !== undefined) return newest.version
  throw new CliError(EXIT.notFound, `Strategy ${id} has no versions.`, { code: 'not_found' })
}

/** Reads a version of a strategy. */
export async function versionSide(
  context: Context,
  id: string,
  name: string,
  version: number,
): Promise<Side> {
  const params = { id, version: String(version) }
  const { data } = (await context.read('GET /strategy/api/strategies/:id/versions/:version', { params })).body
  return { label: `${name}@${version}`, config: data.config }
}

/** Returns the differences of two configurations, as a plan of files has them. */
export async function differences(before: Side, after: Side): Promise<Change[]> {
  const { changesWithin } = await import('../../../../core/strategies/files/index.js')
  return changesWithin('', before.config, after.config)
}

/** Returns the lines of a comparison; none for equal configurations. */
export async function differenceLines(
  before: Side,
  after: Side,
  changes: readonly Change[],
): Promise<string[]> {
  if (changes.length === 0) return []
  const { changeText } = await import('../../../../core/strategies/files/index.js')
  return [`--- ${before.label}`, `+++ ${after.label}`, ...changes.map(changeText)]
}
