import { member } from '../../../client/answers/json.js'
import { requestTo } from '../../../client/routes.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'

const ROUTE = 'GET /version'

export const version: CommandSpec = {
  name: 'version',
  summary: 'Versions of this program and of the daemon it talks to.',
  examples: ['version', 'version --json'],
  async run(context) {
    const answer = await context
      .client()
      .ask({ route: ROUTE, ...requestTo(ROUTE, {}), changes: false, timeoutMs: 2000 })
      .catch(() => undefined)
    const daemon = answer?.status === 200 ? (member(answer.body, 'version') ?? null) : null
    await context.out.record({
      record: { client: context.version, daemon, url: context.target.url },
      fields: [{ key: 'client' }, { key: 'daemon' }, { key: 'url' }],
      id: 'client',
    })
    if (daemon !== null && daemon.split('.')[0] !== context.version.split('.')[0]) {
      await context.out.warn(
        'client and daemon differ in their major version; restart the daemon: svc down, svc up',
      )
    }
    return EXIT.done
  },
}
