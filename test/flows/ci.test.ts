import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { flow } from '../../src/cli/commands/flow/index.js'
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
    [...run.matchAll(/npx svc flow ([\w-]+)/g)].map(([, verb]) => verb),
  )

describe('the example for GitHub Actions', () => {
  it('checks on pull request and on merge, and hands the check no credential', () => {
    expect(Object.keys(on).toSorted()).toEqual(['pull_request', 'push'])
    expect(commandsOf(jobs.check)).toEqual(['validate', 'test'])
    expect(jobs.check?.env).toBeUndefined()
  })

  it('plans only merged files, and applies only checked and planned ones', () => {
    expect(jobs.plan).toMatchObject({ if: "github.event_name == 'push'", needs: 'check' })
    expect(commandsOf(jobs.plan)).toEqual(['drift', 'plan'])
    expect(jobs.apply).toMatchObject({ needs: 'plan' })
    expect(commandsOf(jobs.apply)).toEqual(['apply'])
  })

  it('names only commands that exist', () => {
    const verbs = flow.verbs?.map(({ name }) => name) ?? []
    expect(verbs).toEqual(expect.arrayContaining(Object.values(jobs).flatMap(commandsOf)))
  })
})
