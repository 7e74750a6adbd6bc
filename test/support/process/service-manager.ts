import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../files/temp.js'

/**
 * The service manager of a unit with `Type=notify`, as a process of the unit sees it: a socket in its environment, and a
 * program that speaks to it. The program writes what it is told into a file.
 * @param ending how the program ends
 */
export function serviceManager(ending = 'exit 0') {
  const folder = tempDir()
  const told = join(folder, 'told')
  const program = `#!/bin/sh\necho "$* to $NOTIFY_SOCKET" >> '${told}'\n${ending}\n`
  writeFileSync(join(folder, 'systemd-notify'), program, { mode: 0o755 })
  return { told, env: { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/manager' } }
}
