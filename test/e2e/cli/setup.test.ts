import { expect, it, onTestFinished } from 'vitest'
import { strangerAt } from '../../support/desk/command-desk.js'
import { tempDir } from '../../support/files/temp.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'
import { Terminal } from '../../support/terminal.js'

/** Returns a terminal at a daemon without users. */
async function empty(): Promise<Terminal> {
  const daemon = new DaemonProcess()
  await daemon.start()
  onTestFinished(() => daemon.dispose())
  return strangerAt(daemon, daemon.url)
}

it('svc setup in a script names everything that is missing, and every broken rule at once', async () => {
  const terminal = await empty()
  const bare = await terminal.svc('setup')
  expect([bare.exit, bare.stderr]).toEqual([
    2,
    'error: Missing: Username, E-mail, Password. Pass --username NAME --email ADDRESS --password-stdin.\n',
  ])
  const words = 'setup --username a --email asha --password-stdin'
  const { exit, stderr } = await terminal.svc(words, { stdin: 'short\n' })
  expect([exit, stderr]).toEqual([
    2,
    'error: Username must be 3 to 80 characters long; Email must look like name@domain.tld; Password must be at least 8 characters long; Password must contain at least 1 uppercase letter (A-Z); Password must contain at least 1 number (0-9); Password must contain at least 1 special character (such as !@#$%^&*-)\n',
  ])
  const line = 'setup --username asha --email a@b.co --password-stdin --json'
  const two = await terminal.svc(line, { stdin: 'Passw0rd!\nPassw0rd!\n' })
  expect([two.exit, two.stderr]).toEqual([
    2,
    expect.stringContaining('Password on stdin has more than one line.'),
  ])
  const made = await terminal.svc(line, { stdin: 'Passw0rd!\n' })
  expect([made.exit, JSON.parse(made.stdout).username]).toEqual([0, 'asha'])
  const again = await terminal.svc('setup')
  expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining('already exists')])
})

it('svc setup of a home whose daemon does not run creates no user at the one that has its port', async () => {
  const daemon = new DaemonProcess()
  await daemon.start()
  onTestFinished(() => daemon.dispose())
  const { port } = new URL(daemon.url)
  const stopped = new Terminal({ home: tempDir(), env: { SVC_PORT: port } })
  const line = 'setup --username asha --email a@b.co --password-stdin --json'
  const { exit, stderr } = await stopped.svc(line, { stdin: 'Passw0rd!\n' })
  expect([exit, JSON.parse(stderr)]).toEqual([
    3,
    expect.objectContaining({
      code: 'another_daemon',
      message: expect.stringContaining(`another one answers at ${daemon.url}. No user was created.`),
      hint: expect.stringContaining(`svc setup --url ${daemon.url}`),
    }),
  ])
  const named = await stopped.svc(`${line} --url ${daemon.url}`, { stdin: 'Passw0rd!\n' })
  expect([named.exit, named.stderr]).toEqual([0, expect.any(String)])
})

it('svc setup at a terminal shows the rules first, and asks a refused field again', async () => {
  const terminal = await empty()
  const running = terminal.start('setup', { tty: 'all' })
  await running.says('Password must contain at least 1 special character (such as !@#$%^&*-)')
  await running.says('Username: ')
  expect(running.stdout()).not.toContain('E-mail: ')
  await running.type('asha rao\n', 'E-mail: ')
  await running.type('a@b.co\n', 'Password: ')
  await running.type('Short1!\n', 'Password again: ')
  await running.type('other\n', 'The two entries differ. Type them again.')
  await running.type('Short1!\n', 'Password again: ')
  await running.type('Short1!\n', 'Username must not contain spaces or control characters.')
  await running.says('Password must be at least 8 characters long.')
  await running.type('asha\n', 'Password: ')
  await running.type('Passw0rd!\n', 'Password again: ')
  await running.type('Passw0rd!\n', 'API KEY')
  const { exit, stdout } = await running.ended
  expect(exit).toBe(0)
  expect(stdout).not.toContain('Passw0rd!')
  expect((await terminal.svc('login --username asha --password-stdin', { stdin: 'Passw0rd!' })).exit).toBe(0)
})
