import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { flow } from '../../src/cli/commands/flow/index.js'
import { strategy } from '../../src/cli/commands/strategy/index.js'
import { textOf } from './examples.js'

interface Job {
  if?: string
  needs?: string
  env?: Record<string, string>
  steps: { run?: string }[]
}

const { jobs, on } = parse(textOf('ci/github-actions.yaml.example')) as {
  on: Record<string, object>
  jobs: Record<string, Job>
}
const commandsOf = (job: Job | undefined) =>
  (job?.steps ?? []).flatMap(({ run = '' }) =>
    [...run.matchAll(/npx svc (flow|strategy) ([\w-]+)/g)].map(([, noun, verb]) => `${noun} ${verb}`),
  )

describe('the example for GitHub Actions', () => {
  it('checks on pull request and on merge, and hands the check no credential', () => {
    expect(Object.keys(on).toSorted()).toEqual(['pull_request', 'push'])
    expect(commandsOf(jobs.check)).toEqual(['flow validate', 'flow test'])
    expect(jobs.check?.env).toBeUndefined()
  })

  it('plans only merged files, and applies only checked and planned ones', () => {
    expect(jobs.plan).toMatchObject({ if: "github.event_name == 'push'", needs: 'check' })
    expect(commandsOf(jobs.plan)).toEqual(['flow drift', 'strategy drift', 'flow plan'])
    expect(jobs.apply).toMatchObject({ needs: 'plan' })
    expect(commandsOf(jobs.apply)).toEqual(['flow apply'])
  })

  it('names only commands that exist', () => {
    const verbs = Object.entries({ flow, strategy }).flatMap(([noun, { verbs = [] }]) =>
      verbs.map(({ name }) => `${noun} ${name}`),
    )
    expect(verbs).toEqual(expect.arrayContaining(Object.values(jobs).flatMap(commandsOf)))
  })
})
