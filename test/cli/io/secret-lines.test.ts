import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'
import { USER } from '../../support/desk/desk.js'

/* A secret on stdin is one line: two lines are a mistake, never one secret with a line end inside. */

const ONE_LINE = 'on stdin has more than one line. Pass it as one line.'

test.each([
  [`login --username ${USER} --password-stdin`, `Password ${ONE_LINE}`],
  [`login --username ${USER} --totp-stdin`, `Authenticator code ${ONE_LINE}`],
  ['password reset --email a@b.co --password-stdin', `Password ${ONE_LINE}`],
  [
    'smtp set --server mail.b.co --port 587 --from a@b.co --username a --password-stdin',
    `Password of the mail server ${ONE_LINE}`,
  ],
  ['message channel telegram --token-stdin', ONE_LINE],
  ['message channel whatsapp --token-stdin', ONE_LINE],
  ['message channel whatsapp --app-secret-stdin', ONE_LINE],
  ['message channel whatsapp --verify-token-stdin', ONE_LINE],
  ['config set TELEGRAM_BOT_TOKEN --stdin', `TELEGRAM_BOT_TOKEN ${ONE_LINE}`],
])('svc %s refuses two lines and sends nothing', async (line, message) => {
  const desk = await CliDesk.open()
  for (const stdin of ['Passw0rd!\nsecond\n', 'Passw0rd!\r\nsecond', 'Passw0rd!\n\n', 'Passw0rd!\rsecond']) {
    const { exit, stderr } = await desk.svc(line, { stdin })
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)])
  }
})

test('a command that takes two lines refuses three', async () => {
  const desk = await CliDesk.open()
  const stdin = 'Passw0rd!\nsecond\n123456\n'
  for (const [line, message] of [
    [
      `login --username ${USER} --password-stdin --totp-stdin`,
      'Stdin must have two lines: the password, then the code.',
    ],
    [
      'password change --password-stdin',
      'Stdin must have two lines: the current password, then the new one.',
    ],
  ] as const) {
    const { exit, stderr } = await desk.svc(line, { stdin })
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)])
  }
})

test('the secret of a workflow may have several lines, as the file of a key has', async () => {
  const desk = await CliDesk.open()
  expect((await desk.svc('flow secret set key', { stdin: 'first\nsecond\n' })).exit).toBe(0)
})
