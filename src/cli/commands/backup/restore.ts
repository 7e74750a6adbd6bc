import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { offline } from './offline.js'

export const restore: CommandSpec = {
  name: 'restore',
  summary: 'Replaces the databases of a stopped home by those of a backup.',
  examples: [
    'restore 20261120T101500Z-3f9c2a --replace',
    'restore /mnt/backup/20261120T101500Z-3f9c2a --home ./new',
  ],
  details:
    'Checks the whole backup first. The home must have the config.env (or the environment) with the secrets of the backup. With --replace, the databases that the home has are set aside in a folder before-restore-…, and nothing is deleted. An interruption leaves the old databases or the new ones. The next start turns the kill switch on, because the service does not know the orders sent after the backup: compare with the broker, then svc risk resume.',
  arguments: [{ syntax: '<backup>', summary: 'id from svc backup list, or a folder' }],
  options: [{ flags: '--replace', summary: 'set the databases of the home aside' }],
  async run(context, input) {
    const { manifest, setAside } = await offline(context, ({ restoreOffline }, at) =>
      restoreOffline(at, input.required(0), input.flag('replace')),
    )
    await context.out.record({
      record: {
        id: manifest.id,
        created_at: manifest.created_at,
        home: context.settings.home,
        set_aside: setAside ?? '',
      },
      fields: [
        { key: 'id' },
        { key: 'created_at', title: 'CREATED', kind: 'time' },
        { key: 'home' },
        { key: 'set_aside', title: 'OLD FILES' },
      ],
      id: 'id',
    })
    context.out.note(
      'Restored. The next start turns the kill switch on: compare orders and positions with the broker, then svc risk resume.',
    )
    return EXIT.done
  },
}
