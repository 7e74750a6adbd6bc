import { describe, expect, it } from 'vitest'
import { TOPIC_SUMMARIES } from '../../../src/cli/help/topic-names.js'
import { VISIBLE_NOUNS } from '../../../src/cli/nouns.js'
import { Terminal } from '../support/terminal.js'

const svc = (line: string) => new Terminal().svc(line)

describe('svc man', () => {
  it('in a pipe prints the text of the help', async () => {
    expect((await svc('man order place')).stdout).toBe((await svc('order place --help')).stdout)
    expect((await svc('man')).stdout).toBe((await svc('help')).stdout)
    expect((await svc('man time')).stdout).toBe((await svc('help time')).stdout)
  })

  it('--roff has every part of the command', async () => {
    const { stdout } = await svc('man order status --roff')
    expect(stdout.split('\n').filter((line) => line.startsWith('.SH'))).toEqual(
      ['NAME', 'SYNOPSIS', 'ARGUMENTS', 'OPTIONS', 'EXAMPLES', 'SEE ALSO'].map((title) => `.SH ${title}`),
    )
    expect(stdout).toMatch(/^\.TH "SVC\\-ORDER\\-STATUS" "1"/)
    expect(stdout).toContain('.B \\-\\-strategy <name>')
  })

  it('no line of a page is a request of roff by accident', async () => {
    for (const { name } of VISIBLE_NOUNS) {
      const { stdout } = await svc(`man ${name} --roff`)
      const requests = stdout.split('\n').filter((line) => /^[.']/.test(line))
      for (const line of requests) expect(line).toMatch(/^\.(TH|SH|TP|PP|BR|B|nf|fi)\b/)
      expect(stdout.replaceAll('\\-', '').replaceAll('\\e', '').replaceAll('\\&', '')).not.toContain('\\')
    }
  })

  it('names the nearest command', async () => {
    expect(await svc('man ordr')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('Did you mean order?'),
    })
  })
})

describe('help topics', () => {
  it('svc help lists each of them, and svc help TOPIC prints it', async () => {
    const { stdout: all } = await svc('help')
    for (const [topic, summary] of Object.entries(TOPIC_SUMMARIES)) {
      expect(all).toMatch(new RegExp(`^  ${topic} +${summary}$`, 'm'))
      const { exit, stdout } = await svc(`help ${topic}`)
      expect([exit, stdout.split('\n').length > 5]).toEqual([0, true])
    }
  })

  it('formatting is another name of output', async () => {
    expect((await svc('help formatting')).stdout).toBe((await svc('help output')).stdout)
  })
})
