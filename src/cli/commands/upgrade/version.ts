import { member } from '../../../client/answers/json.js'
import { requestTo } from '../../../client/routes.js'
import type { NounSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { askRegistry } from './registry.js'
import { isNewer } from './versions.js'

const FIELDS = [{ key: 'client' }, { key: 'daemon' }, { key: 'url' }] as const
const OF_REGISTRY = [{ key: 'newest' }, { key: 'registry' }] as const

const ROUTE = 'GET /version'

export const version: NounSpec = {
  summary: 'Versions of this program and of the daemon it talks to.',
  examples: ['version', 'version --json', 'version --check'],
  details:
    'With --check it also asks the registry of npm for the newest version: exit 9 when there is a newer one, 1 when the registry does not answer. The request names the package; nothing in it is about this installation or its home. Without --check nobody is asked, and of the other commands only svc upgrade asks.',
  options: [{ flags: '--check', summary: 'ask the registry of npm for the newest version' }],
  async run(context, input) {
    const newest = input.flag('check') ? await askRegistry(context.io) : undefined
    const answer = await context
      .client()
      .ask({ route: ROUTE, ...requestTo(ROUTE, {}), changes: false, timeoutMs: 2000 })
      .catch(() => undefined)
    const daemon = answer?.status === 200 ? (member(answer.body, 'version') ?? null) : null
    await context.out.record({
      record: {
        client: context.version,
        daemon,
        url: context.target.url,
        ...(newest && { newest: newest.version, registry: newest.registry }),
      },
      fields: [...FIELDS, ...(newest ? OF_REGISTRY : [])],
      id: 'client',
    })
    if (daemon !== null && daemon.split('.')[0] !== context.version.split('.')[0]) {
      await context.out.warn(
        'client and daemon differ in their major version; restart the daemon: svc down, svc up',
      )
    }
    if (newest === undefined || !isNewer(newest.version, context.version)) return EXIT.done
    context.out.note(`svc ${newest.version} is available. Next: svc upgrade --check`)
    return EXIT.differences
  },
}
