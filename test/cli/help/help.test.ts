import { describe, expect, it } from 'vitest'
import type { CommandSpec } from '../../../src/cli/framework/command/command.js'
import { GLOBAL_OPTIONS } from '../../../src/cli/framework/globals.js'
import { VISIBLE_NOUNS } from '../../../src/cli/nouns.js'
import { SCOPES } from '../../../src/core/identity/index.js'
import { Terminal } from '../support/terminal.js'

const commands: { path: string; spec: CommandSpec }[] = []
for (const noun of VISIBLE_NOUNS) {
  const spec = await noun.load()
  commands.push({ path: noun.name, spec })
  for (const verb of spec.verbs ?? []) commands.push({ path: `${noun.name} ${verb.name}`, spec: verb })
}

describe('the command tree', () => {
  it('has every noun and verb of the design for this part', () => {
    const wanted = [
      'up',
      'down',
      'status',
      'doctor',
      'demo',
      'setup',
      'login',
      'logout',
      'whoami',
      'token create',
      'token list',
      'token revoke',
      'apikey show',
      'apikey rotate',
      'session list',
      'session revoke',
      'mode get',
      'mode set',
      'analyze on',
      'analyze off',
      'analyze status',
      'order place',
      'order list',
      'order status',
      'order journal',
      'order settle',
      'approval list',
      'approval show',
      'approval approve',
      'approval reject',
      'approval delete',
      'approval approve-all',
      'approval count',
      'approval watch',
      'position list',
      'trade list',
      'holding list',
      'fund list',
      'event follow',
      'broker list',
      'broker use',
      'broker login',
      'broker logout',
      'broker status',
      'broker sync',
      'risk show',
      'risk set',
      'risk kill',
      'risk resume',
      'flow list',
      'flow show',
      'flow validate',
      'flow plan',
      'flow apply',
      'flow drift',
      'flow export',
      'flow import',
      'flow run',
      'flow nodes',
      'flow schema',
      'flow activate',
      'flow deactivate',
      'flow delete',
      'flow executions',
      'flow logs',
      'flow cancel',
      'flow webhook',
      'flow monitor',
      'flow history',
      'flow rollback',
      'flow secret',
      'self-check',
      'api',
      'open',
      'config list',
      'config get',
      'config set',
      'sandbox config',
      'sandbox pnl',
      'sandbox jobs',
      'sandbox reset',
      'completion bash',
      'completion zsh',
      'completion fish',
    ]
    expect(commands.map((command) => command.path)).toEqual(expect.arrayContaining(wanted))
  })

  it.each(commands)(
    '$path: has examples that name it, and no option that a global one hides',
    ({ path, spec }) => {
      expect(spec.examples.length).toBeGreaterThan(0)
      for (const example of spec.examples) expect(example).toContain(path.split(' ')[0])
      const names = (flags: string) => flags.match(/--?[a-z][a-z-]*/g) ?? []
      const globals = new Set([
        ...GLOBAL_OPTIONS.flatMap((option) => names(option.flags)),
        '-h',
        '--help',
        '-V',
      ])
      const hidden = (spec.options ?? [])
        .flatMap((option) => names(option.flags))
        .filter((name) => globals.has(name))
      expect(hidden).toEqual([])
    },
  )

  it.each(commands)('svc $path --help leads with its examples, exit 0', async ({ path, spec }) => {
    const terminal = new Terminal()
    const asked = await terminal.svc(`${path} --help`)
    expect({ exit: asked.exit, stderr: asked.stderr }).toEqual({ exit: 0, stderr: '' })
    const [summary = '', ...rest] = asked.stdout.split('\n\n')
    expect(summary.replaceAll('\n', ' ')).toBe(spec.summary)
    const text = rest.join('\n\n')
    expect(text.indexOf('Examples:')).toBeGreaterThanOrEqual(0)
    expect(text.indexOf('Examples:')).toBeLessThan(text.indexOf('Usage:'))
    expect((await terminal.svc(`help ${path}`)).stdout).toBe(asked.stdout)
  })

  it('-h works after other flags', async () => {
    expect((await new Terminal().svc('order place --type LIMIT -h')).stdout).toContain(
      'svc order place [order...]',
    )
  })

  it('a noun without a verb prints its help on stderr, exit 2', async () => {
    const { exit, stdout, stderr } = await new Terminal().svc('order')
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain('Examples:\n  svc order place SBIN NSE BUY 10')
  })

  it('svc alone and svc help print the overview, exit 0', async () => {
    const terminal = new Terminal()
    const alone = await terminal.svc('')
    expect(alone.exit).toBe(0)
    expect((await terminal.svc('help')).stdout).toBe(alone.stdout)
    expect((await terminal.svc('--help')).stdout).toBe(alone.stdout)
    for (const noun of VISIBLE_NOUNS) expect(alone.stdout).toMatch(new RegExp(`^ +${noun.name} `, 'm'))
  })

  it.each(['environment', 'exit-codes', 'formatting', 'files'])('svc help %s', async (topic) => {
    const { exit, stdout } = await new Terminal().svc(`help ${topic}`)
    expect(exit).toBe(0)
    expect(stdout.split('\n').length).toBeGreaterThan(5)
  })
})

it('svc token create explains each scope with the texts of the API', async () => {
  const help = (await new Terminal().svc('token create --help')).stdout.replaceAll(/\s+/g, ' ')
  for (const [scope, allows] of Object.entries(SCOPES)) expect(help).toContain(`${scope} ${allows}`)
})

describe('help for a word that is no command', () => {
  it.each([
    ['frobnicate --help', "Unknown command 'frobnicate'. See: svc --help"],
    ['brokr --help', "Unknown command 'brokr'. Did you mean svc broker?"],
    ['brokr status -h', "Unknown command 'brokr'. Did you mean svc broker?"],
    ['broker statos --help', "Unknown command 'statos'. Did you mean svc broker status?"],
  ])('svc %s names it, and the nearest', async (line, said) => {
    expect(await new Terminal().svc(line)).toEqual({ exit: 2, stdout: '', stderr: `error: ${said}\n` })
  })

  it('is still there for what is one', async () => {
    expect((await new Terminal().svc('broker --help')).stdout).toContain('svc broker')
    expect((await new Terminal().svc('order place SBIN --help')).stdout).toContain('svc order place')
  })
})
